// The suite in `test/runtimes` runs by its own command. Here is what must hold of its judgment and of its results.

import { describe, expect, it } from 'vitest';
import { compared, type Outcome, runChecks } from './checks/check.ts';
import { type Expected, expected, untested } from './expected.ts';
import { readOptions } from './options.ts';
import { failureLines, measuredLines, readmeSection, readmeTable, resultTable } from './report.ts';
import type { Realm } from './target.ts';
import { countOf, type Judged, judgeAll } from './verdict.ts';

const row: Expected = { target: 'some', runtime: 'Some', version: '1.', realms: ['page', 'Worker'] };
const reference: readonly Outcome[] = [
  { name: 'wasm, classic: bits', detail: compared('digest') },
  { name: 'js, classic: memory', detail: 'peak +10 MB' },
];

function realmOf(realm: string, outcomes: readonly Outcome[] = reference, version = '1.2.3'): Realm {
  return { runtime: 'Some', version, realm, outcomes };
}

function judge(...realms: Realm[]): Judged[] {
  return judgeAll(row, realms, reference, 'no browser');
}

function countAll(judged: readonly Judged[]): ReturnType<typeof countOf> {
  return countOf(judged.flatMap(({ outcomes }) => outcomes));
}

describe('the verdict of the conformance suite', () => {
  it('passes when each realm reports what the reference does', () => {
    expect(countAll(judge(realmOf('page'), realmOf('Worker')))).toEqual({ passed: 4, failed: 0 });
  });

  it('fails each check of a realm that did not run', () => {
    const judged = judge(realmOf('page'));
    expect(countAll(judged)).toEqual({ passed: 2, failed: 2 });
    expect(failureLines(judged)).toEqual(['Some, Worker did not run: no browser']);
  });

  it('fails each check that a realm left out', () => {
    const judged = judge(realmOf('page', reference.slice(1)), realmOf('Worker', []));
    expect(countAll(judged)).toEqual({ passed: 1, failed: 3 });
    expect(failureLines(judged)).toEqual([
      'Some, page: 1 of its checks did not run',
      'Some, Worker: 2 of its checks did not run',
    ]);
  });

  it('lets only workers of browsers leave out what is for pages only', () => {
    const wanted: readonly Outcome[] = [...reference, { name: 'wasm, wide: bits', where: 'page only' }];
    const judged = judgeAll(row, [realmOf('page'), realmOf('Worker')], wanted);
    expect(judged.map((each) => countAll([each]))).toEqual([
      { passed: 2, failed: 1 },
      { passed: 2, failed: 0 },
    ]);
    expect(countAll(judgeAll(row, [], wanted)).failed).toBe(5);
  });

  it.each([
    ['JavaScript', ['js, classic: memory', 'js, classic: streams', 'own']],
    ['JavaScript without web APIs', ['js, classic: memory', 'own']],
  ] as const)('asks a target without WebAssembly for a part of the checks: %s', (part, names) => {
    const wanted: readonly Outcome[] = [
      ...reference,
      { name: 'js, classic: streams', where: 'web' },
      { name: 'js, classic: moved', where: 'both engines' },
      { name: 'js, classic: long', where: 'page only' },
      { name: 'own' },
    ];
    const target: Expected = { ...row, realms: ['page'], part };
    expect(judgeAll(target, [], wanted).flatMap(({ outcomes }) => outcomes.map(({ name }) => name))).toEqual(names);
    const ran = [{ runtime: 'Some', version: '1.2.3', realm: 'page', outcomes: names.map((name) => ({ name })) }];
    const judged = judgeAll(target, ran, wanted);
    expect(countAll(judged)).toEqual({ passed: names.length, failed: 0 });
    expect(readmeTable(judged)).toMatch(/\| – +\| ✓ +\|$/);
  });

  it('fails a check that passed with another result than in the reference', () => {
    const other = [{ name: 'wasm, classic: bits', detail: compared('other') }, ...reference.slice(1)];
    const none = [{ name: 'wasm, classic: bits' }, ...reference.slice(1)];
    const judged = judge(realmOf('page', other), realmOf('Worker', none));
    expect(countAll(judged)).toEqual({ passed: 2, failed: 2 });
    expect(failureLines(judged)[0]).toMatch(/differs: wanted '= digest', got '= other'/);
  });

  it('allows other measurements than in the reference', () => {
    const measured = [...reference.slice(0, 1), { name: 'js, classic: memory', detail: 'peak +20 MB' }];
    expect(countAll(judge(realmOf('page', measured), realmOf('Worker'))).failed).toBe(0);
  });

  it.each([
    ['another version', [realmOf('page', reference, '2.0'), realmOf('Worker')]],
    ['no version', [realmOf('page', reference, ''), realmOf('Worker')]],
    [
      'a check of its own that failed',
      [realmOf('page', [...reference, { name: 'own', error: 'x' }]), realmOf('Worker')],
    ],
    ['a check twice', [realmOf('page', [...reference, ...reference.slice(1)]), realmOf('Worker')]],
    ['an unknown realm', [realmOf('page'), realmOf('Worker'), realmOf('SharedWorker')]],
  ])('fails %s', (_, realms) => {
    expect(countAll(judge(...realms)).failed).toBe(1);
  });

  it('fails a realm that reported twice', () => {
    expect(countAll(judge(realmOf('page'), realmOf('page'), realmOf('Worker'))).failed).toBe(2);
  });
});

describe('the program of the conformance suite', () => {
  it('reports what is thrown, rejected and returned', async () => {
    const outcomes = await runChecks([
      ['passes', () => {}],
      ['returns', async () => 'a detail'],
      [
        'throws',
        () => {
          throw new RangeError('wrong', { cause: 'out of memory' });
        },
      ],
      ['rejects', () => Promise.reject('a string')],
    ]);
    expect(outcomes).toEqual([
      { name: 'passes' },
      { name: 'returns', detail: 'a detail' },
      { name: 'throws', error: 'RangeError: wrong (cause: thrown: out of memory)' },
      { name: 'rejects', error: 'thrown: a string' },
    ]);
  });
});

describe('the options of the conformance suite', () => {
  it('run everything unless told otherwise', () => {
    const targets = expected.map(({ target }) => target);
    expect(readOptions([])).toEqual({ targets, isWhole: true, saves: false });
    expect(readOptions(['--only', 'bun,node24'])).toEqual({ targets: ['bun', 'node24'], isWhole: false, saves: false });
  });

  it('refuse to save a part, and unknown runtimes', () => {
    expect(() => readOptions(['--only', 'bun', '--save'])).toThrow(RangeError);
    expect(() => readOptions(['--only', 'node18'])).toThrow(/--only takes node20, /);
  });
});

describe('the tables of the conformance suite', () => {
  const judged = judge(realmOf('page'), realmOf('Worker', [{ ...reference[0], error: 'x' } as Outcome]));

  it('say how many checks passed', () => {
    expect(resultTable(judged).split('\n').slice(2)).toEqual([
      '| Some    | 1.2.3   | page   |           1 |          1 |      – |',
      '| Some    | 1.2.3   | Worker |      0 of 1 |     0 of 1 |      – |',
    ]);
    expect(readmeTable(judged)).toMatch(/\| Some +\| 1\.2\.3 +\| page, Worker \| 1 of 2 checks \| 1 of 2 checks +\|$/);
  });

  it('name what failed, where, and what was measured', () => {
    expect(failureLines(judged)).toEqual([
      'Some, Worker: 1 of its checks did not run',
      'wasm, classic: bits\n    x\n    in Some, Worker',
    ]);
    expect(measuredLines(judged)).toEqual(['js: memory: peak +10 MB (Some)']);
  });

  it('in the README name exactly the expected runtimes', () => {
    const { table } = readmeSection();
    const runtimes = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
      .map((line) => line.split('|')[1]?.trim());
    expect(runtimes).toEqual(expected.map(({ runtime }) => runtime));
    expect(table).toContain(`Not run: ${untested.join(', ')}.`);
  });
});
