// What runs on GitHub is what CONTRIBUTING.md names, with actions that cannot change and no more rights than needed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';

const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  return { name, text, workflow, jobs, steps: jobs.flatMap(({ steps }) => steps) };
});

function workflowOf(name: string): (typeof workflows)[number] {
  const found = workflows.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no workflow ${name}`);
  return found;
}

/** The section of CONTRIBUTING.md that is about workflows. */
const section = /^## On GitHub\n(.*?)^## /ms.exec(readFileSync('CONTRIBUTING.md', 'utf8'))?.[1] ?? '';
const named = [...section.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));

it('there are workflows for tests and for releases', () => {
  expect(workflows.map(({ name }) => name).sort()).toEqual(['release.yml', 'test.yml']);
});

describe.each(workflows)('$name', ({ text, workflow, jobs, steps }) => {
  it('runs only commands that CONTRIBUTING.md names', () => {
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !named.includes(command))).toEqual([]);
  });

  it('uses actions of a commit, whose version a comment tells, and of one commit everywhere', () => {
    const used = [...text.matchAll(/^ *- uses: (.*)$/gm)].map(([, action = '']) => action);
    expect(used.length).toBe(steps.filter(({ uses }) => uses).length);
    expect(used.filter((action) => !/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    const all = workflows.flatMap((each) => each.steps.flatMap(({ uses }) => uses ?? []));
    const names = new Set(all.map((action) => action.split('@')[0]));
    expect(new Set(all).size).toBe(names.size);
  });

  it('has no rights but those of its jobs, keeps no credentials, and ends', () => {
    expect(workflow.permissions).toEqual({});
    for (const job of jobs) {
      expect(job.permissions?.['contents']).toBe('read');
      expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
    }
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toEqual({ 'persist-credentials': false });
    }
  });

  it('puts nothing of a change into a command, and runs no change of others with secrets', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  });
});

describe('test.yml', () => {
  const { workflow, jobs, steps } = workflowOf('test.yml');

  it('runs everything once, and the tests in each version of Node that has them', () => {
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
    expect(workflow.jobs['everything']?.steps.at(-1)?.run).toBe('.ci/run');
    const { node: versions = [] } = workflow.jobs['node']?.strategy?.matrix ?? {};
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${versions[0]}`);
    const script = readFileSync('.ci/run', 'utf8');
    const commands = workflow.jobs['node']?.steps.flatMap(({ run }) => run ?? []) ?? [];
    expect(commands.filter((command) => /^npm /.test(command) && !script.includes(command))).toEqual([]);
  });

  it('may only read, and sees no secret', () => {
    for (const job of jobs) expect(job.permissions).toEqual({ contents: 'read' });
    expect(steps.filter(({ env }) => env)).toEqual([]);
  });
});

describe('release.yml', () => {
  const { workflow, jobs, steps } = workflowOf('release.yml');

  it('publishes tags with provenance, after all tests', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands.slice(-4)).toEqual([
      'npm run check',
      'npm run test:all',
      'npm run integrity',
      'npm publish --provenance --access public',
    ]);
    for (const job of jobs) expect(job.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  it('gives the token only to the command that publishes', () => {
    const secret = { NODE_AUTH_TOKEN: expect.stringMatching(/^\$\{\{ secrets\.NPM_TOKEN \}\}$/) };
    expect(steps.filter(({ env }) => env)).toEqual([expect.objectContaining({ env: secret })]);
    expect(steps.at(-1)?.env).toEqual(secret);
  });
});
