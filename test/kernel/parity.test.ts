import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { modules } from '../../tools/modules.ts';
import { type Beside, type Build, builds, debug, release } from './builds.ts';
import { ACROSS, play, signaturesOf } from './scenarios.ts';

// In every build, every function of every module leaves the same bytes and returns the same numbers. Functions of linked
// modules that hash keys are also played under a secret, and modules that hash in place of the kernel, or are for other
// systems, are played one by one.

const all = modules.map(({ name, hash, isForeign }) => {
  const file = new URL(`../../build/${name}.release.wasm`, import.meta.url);
  const exports = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(file)));
  const functions = exports.flatMap(({ name, kind }) => (kind === 'function' ? [name] : []));
  return { name, functions, hash, isAlone: hash !== undefined || isForeign, signatures: signaturesOf(name) };
});
const functionsOf = (module: string): string[] => all.find(({ name }) => name === module)?.functions ?? [];

it.each(all)('$name declares what it exports', ({ functions, signatures }) => {
  expect([...signatures.keys()].sort()).toEqual(functions.sort());
});

it('no two modules export functions with the same name, but those that hash replace functions of the kernel', () => {
  const names = all.flatMap(({ isAlone, functions }) => (isAlone ? [] : functions));
  expect(new Set(names).size).toBe(names.length);
  const own = functionsOf('keyed').filter((name) => !functionsOf('kernel').includes(name));
  expect(own).toEqual(['secret_at']);
  // A function that hashes keys as the kernel does would bypass the secret.
  const hashing = functionsOf('kernel').filter((name) => /^hash_|_key$/.test(name));
  expect(hashing.filter((name) => !functionsOf('keyed').includes(name))).toEqual([]);
});

it.each(all.filter(({ hash }) => hash))('$name hashes keys of every form in place of the kernel', ({ functions }) => {
  const hashing = functionsOf('kernel').filter((each) => each.startsWith('hash_'));
  expect(hashing.filter((each) => !functions.includes(each))).toEqual([]);
});

const keyed: Beside = { module: 'keyed', secret: Uint8Array.from({ length: 16 }, (_, i) => i + 1) };

const played = all.flatMap(({ name: module, isAlone, signatures }) =>
  [...signatures].flatMap(([name, parameters]) => {
    const beside = module === 'keyed' ? keyed : isAlone ? { module } : undefined;
    const one = { name, parameters, beside, title: `${name} of ${module}` };
    const isBoth = !isAlone && module !== 'kernel' && name.endsWith('_key');
    return [
      one,
      ...(isBoth ? [{ ...one, beside: keyed, title: `under a secret, ${one.title}` }] : []),
      ...(/^(blocked|wide|stable|rotating)_(add|has)$/.test(name)
        ? [{ ...one, far: true, title: `${one.title}, in a large filter` }]
        : []),
    ];
  }),
);

/** Whether a function goes through a body, which may lie across the address 2^31: those for single keys do not. */
function passes({ name, parameters }: (typeof played)[number]): boolean {
  // In place of hashes, the module for Go writes addresses to memory, which differ.
  if (name.endsWith('_key') || parameters.includes('places')) return false;
  return parameters.some((each) => /^(at|body|counters|fingerprints|one|table|target|work)$/.test(each));
}

it.each(played)('the same in every build: $title', (one) => {
  const expected = play(one, builds[0] as Build);
  const expectSame = (build: Build, base?: number): void => {
    const { returned, memory } = play(one, build, base);
    expect(returned, build.name).toEqual(expected.returned);
    expect(memory.length, build.name).toBe(expected.memory.length);
    if (Buffer.compare(memory, expected.memory) === 0) return;
    const difference = memory.findIndex((byte, at) => byte !== expected.memory[at]);
    expect(difference, `where memory of ${build.name} first differs, counted from its base`).toBe(-1);
  };
  // The debug build has static data of another size.
  for (const build of builds.slice(1)) if (build !== debug || one.name !== 'heap_base') expectSame(build);
  // Addresses from 2^31 on are negative as signed integers.
  if (passes(one)) for (const base of ACROSS) expectSame(release, base);
});
