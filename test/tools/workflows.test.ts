// What could let somebody else publish, or run code with rights, in the workflows of GitHub.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions?: object; readonly steps: readonly Step[] }>>;
}

const workflows = readdirSync('.github/workflows').map((name) => {
  const text = readFileSync(`.github/workflows/${name}`, 'utf8');
  return [name, text, parse(text) as Workflow] as const;
});

it.each(workflows)('%s uses actions of a commit, and has no right that no job names', (_, text, workflow) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);
  expect(steps.filter(({ uses }) => uses && !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  expect(text.match(/uses: .*/g)?.filter((line) => !/ # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  expect(workflow.permissions).toEqual({});
  expect(jobs.filter(({ permissions }) => permissions === undefined)).toEqual([]);
  for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
    expect(step.with).toEqual({ 'persist-credentials': false });
  }
});

it.each(workflows)('%s puts nothing of a change into a command, and runs none with secrets', (name, text, workflow) => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  expect(text.match(/secrets\./g)?.length ?? 0).toBe(name === 'release.yml' ? 1 : 0);
});

it('release.yml makes its statement in a job that runs nothing but npm publish', () => {
  const release = workflows.find(([name]) => name === 'release.yml')?.[2];
  const rights = Object.entries(release?.jobs ?? {}).map(([name, { permissions }]) => [name, permissions]);
  expect(Object.fromEntries(rights)).toEqual({ test: { contents: 'read' }, publish: { 'id-token': 'write' } });
  expect(release?.jobs['publish']?.steps.flatMap(({ run }) => run ?? [])).toEqual([
    'npm publish --provenance --access public ./*.tgz',
  ]);
});
