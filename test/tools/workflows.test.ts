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
  readonly needs?: string;
  readonly container?: string;
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

/** What runs in each version of Node, and before a release. */
const TESTS = ['apt-get update', 'apt-get install --yes redis-server', 'npm ci', 'npm run check', 'npm run test:all'];
/** Fails unless the tag is that of the version. */
const TAG = `test "$GITHUB_REF_NAME" = "v$(node -p 'require("./package.json").version')"`;

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
const named = [...section.matchAll(/`([^`]+)`/g)]
  .map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
  .filter((code) => /^(?:npm|apt-get|test|\.ci\/run)(?: |$)/.test(code));

/** The commands of each job, in order. */
function commandsOf({ workflow }: (typeof workflows)[number]): Readonly<Record<string, readonly string[]>> {
  const jobs = Object.entries(workflow.jobs);
  return Object.fromEntries(jobs.map(([name, { steps }]) => [name, steps.flatMap(({ run }) => run ?? [])]));
}

it('there are workflows for tests and for releases', () => {
  expect(workflows.map(({ name }) => name).sort()).toEqual(['release.yml', 'test.yml']);
});

it('run the commands that CONTRIBUTING.md names, and no others', () => {
  const all = workflows.flatMap((each) => Object.values(commandsOf(each)).flat());
  expect([...new Set(all)].sort()).toEqual([...new Set(named)].sort());
});

describe.each(workflows)('$name', ({ text, workflow, jobs, steps }) => {
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
      expect(job.permissions).toBeDefined();
      expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
    }
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toEqual({ 'persist-credentials': false });
    }
  });

  it('runs tests as root, in a container of Debian: as another user, some would be skipped, and fail', () => {
    const tested = jobs.filter(({ steps: own }) =>
      own.some(({ run }) => /^(?:\.ci\/run|npm run test:all)$/.test(run ?? '')),
    );
    expect(tested.length).toBeGreaterThan(0);
    for (const { container } of tested) expect(container).toMatch(/^node:(?:24|\$\{\{ matrix\.node \}\})-bookworm$/);
  });

  it('puts nothing of a change into a command, and runs no change of others with secrets', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  });
});

describe('test.yml', () => {
  const test = workflowOf('test.yml');
  const { workflow, jobs, steps, text } = test;

  it('runs everything once, and the tests in each version of Node that has them', () => {
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
    expect(commandsOf(test)).toEqual({ everything: ['.ci/run'], node: TESTS });
    const { node: versions = [] } = workflow.jobs['node']?.strategy?.matrix ?? {};
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${versions[0]}`);
    const script = readFileSync('.ci/run', 'utf8');
    expect(TESTS.filter((command) => /^npm /.test(command) && !script.includes(command))).toEqual([]);
  });

  it('may only read, and sees no secret', () => {
    for (const job of jobs) expect(job.permissions).toEqual({ contents: 'read' });
    expect(steps.flatMap(({ env }) => (env ? [env] : []))).toEqual([{ HOME: '/root' }]);
    expect(text).not.toContain('secrets.');
  });
});

describe('release.yml', () => {
  const release = workflowOf('release.yml');
  const { workflow, steps } = release;

  it('publishes tags of the version with provenance, after all tests', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(commandsOf(release)).toEqual({
      test: [TAG, ...TESTS, 'npm run integrity', 'npm pack'],
      publish: ['npm publish --provenance --access public ./*.tgz'],
    });
    expect(workflow.jobs['publish']?.needs).toBe('test');
  });

  it('publishes the file that was tested, in a job that runs nothing else', () => {
    const actions = Object.values(workflow.jobs).map((job) =>
      job.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? []),
    );
    expect(actions).toEqual([
      ['actions/checkout', 'actions/upload-artifact'],
      ['actions/setup-node', 'actions/download-artifact'],
    ]);
    const names = steps.filter(({ uses }) => uses?.includes('-artifact@')).map((step) => step.with?.['name']);
    expect(names).toEqual(['package', 'package']);
  });

  it('lets only the job that publishes make the statement', () => {
    const { test, publish } = workflow.jobs;
    expect(test?.permissions).toEqual({ contents: 'read' });
    expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  });

  it('gives the token only to the command that publishes', () => {
    const secret = { NODE_AUTH_TOKEN: expect.stringMatching(/^\$\{\{ secrets\.NPM_TOKEN \}\}$/) };
    expect(steps.filter(({ env }) => env)).toEqual([expect.objectContaining({ env: secret })]);
    expect(steps.at(-1)?.env).toEqual(secret);
    expect(release.text.match(/secrets\./g)).toHaveLength(1);
  });
});
