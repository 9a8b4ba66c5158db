// The suite in `test/runtimes` runs by its own command. Here is what must hold of its judgment.

import { describe, expect, it } from 'vitest';
import { compared, type Outcome, runChecks } from './checks/check.ts';
import { type Expected, expected, untested } from './expected.ts';
import { failureLines, readmeSection } from './report.ts';
import type { Realm } from './target.ts';
import { countOf, type Judged, judgeAll } from './verdict.ts';

const row: Expected = { target: 'some', runtime: 'Some', version: '1.', realms: ['page', 'Worker'] };
const bits: Outcome = { name: 'wasm, classic: bits', detail: compared('digest') };
const memory: Outcome = { name: 'js, classic: memory', detail: 'peak +10 MB' };
const reference: readonly Outcome[] = [bits, memory];

function realmOf(realm: string, outcomes: readonly Outcome[] = reference, version = '1.2.3'): Realm {
  return { runtime: 'Some', version, realm, outcomes };
}

const judge = (...realms: Realm[]): Judged[] => judgeAll(row, realms, reference, 'no browser');

function countAll(judged: readonly Judged[]): ReturnType<typeof countOf> {
  return countOf(judged.flatMap(({ outcomes }) => outcomes));
}

const worker = realmOf('Worker');

describe('the verdict of the conformance suite', () => {
  it.each<[string, Realm[], failed: number]>([
    ['nothing when each realm reports what the reference does', [realmOf('page'), worker], 0],
    ['each check of a realm that did not run', [worker], 2],
    ['each check that a realm left out', [realmOf('page', [memory]), realmOf('Worker', [])], 3],
    [
      'a check with another result than in the reference',
      [realmOf('page', [{ ...bits, detail: '= x' }, memory]), worker],
      1,
    ],
    ['a check without the result of the reference', [realmOf('page', [{ name: bits.name }, memory]), worker], 1],
    ['no measurement that differs', [realmOf('page', [bits, { ...memory, detail: 'peak +20 MB' }]), worker], 0],
    ['another version', [realmOf('page', reference, '2.0'), worker], 1],
    ['no version', [realmOf('page', reference, ''), worker], 1],
    ['a check of its own that failed', [realmOf('page', [...reference, { name: 'own', error: 'x' }]), worker], 1],
    ['a check twice', [realmOf('page', [...reference, memory]), worker], 1],
    ['an unknown realm', [realmOf('page'), worker, realmOf('SharedWorker')], 1],
    ['a realm that reported twice', [realmOf('page'), realmOf('page'), worker], 2],
  ])('fails %s', (_, realms, failed) => {
    expect(countAll(judge(...realms)).failed).toBe(failed);
  });

  it('says what did not run, and what failed where', () => {
    expect(failureLines(judge(realmOf('page', [memory, { ...bits, error: 'x' }])))).toEqual([
      'Some, Worker did not run: no browser',
      'wasm, classic: bits\n    x\n    in Some, page',
    ]);
    expect(failureLines(judge(realmOf('page', [memory]), worker))).toEqual(['Some, page: 1 of its checks did not run']);
  });

  it.each([
    ['JavaScript', ['js, classic: memory', 'js, classic: streams', 'own']],
    ['JavaScript without web APIs', ['js, classic: memory', 'own']],
  ] as const)('asks a target without WebAssembly for a part of the checks: %s', (part, names) => {
    const wanted: readonly Outcome[] = [
      ...reference,
      { name: 'js, classic: streams', where: 'web' },
      { name: 'js, classic: moved', where: 'both engines' },
      { name: 'own' },
    ];
    const judged = judgeAll({ ...row, realms: ['page'], part }, [], wanted);
    expect(judged.flatMap(({ outcomes }) => outcomes.map(({ name }) => name))).toEqual(names);
  });
});

describe('the program of the conformance suite', () => {
  it('reports what is thrown, rejected and returned', async () => {
    const outcomes = await runChecks([
      ['passes', () => {}],
      ['returns', async () => 'a detail'],
      ['rejects', () => Promise.reject(new RangeError('wrong', { cause: 'out of memory' }))],
    ]);
    expect(outcomes).toEqual([
      { name: 'passes' },
      { name: 'returns', detail: 'a detail' },
      { name: 'rejects', error: 'RangeError: wrong (cause: thrown: out of memory)' },
    ]);
  });
});

it("the README's table names exactly the expected runtimes", () => {
  const { table } = readmeSection();
  const runtimes = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|')[1]?.trim());
  expect(runtimes).toEqual(expected.map(({ runtime }) => runtime));
  expect(table).toContain(`Not run: ${untested.join(', ')}.`);
});
