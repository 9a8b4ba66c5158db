import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { modules } from '../../tools/modules.ts';
import { randomFrom } from '../shared/random.ts';
import { BASE, type Beside, type Build, builds, debug } from './builds.ts';
import { PAGES, type Scenario } from './scenarios/stage.ts';

// In every build, every function of every module leaves the same bytes and returns the same numbers. Each module has
// its scenarios in a file with its name. Functions of linked modules that hash keys are also played under a secret, and
// modules that hash in place of the kernel, or are for other systems, are played one by one.

type Scenarios = Readonly<Record<string, Scenario>>;

async function scenariosOf(name: string): Promise<Scenarios> {
  const { scenarios } = (await import(`./scenarios/${name}.ts`)) as { scenarios: Scenarios };
  return scenarios;
}

/** The debug build has static data of another size, so its allocator returns other addresses. */
const addresses: readonly string[] = ['heap_base', 'allocate', 'release'];

/** A function, and how it is played. */
interface Played {
  readonly name: string;
  readonly scenario: Scenario;
  readonly beside?: Beside;
}

interface Outcome {
  readonly returned: readonly unknown[];
  readonly memory: Buffer;
}

function play({ name, scenario, beside }: Played, build: Build): Outcome {
  const { kernel, memory } = build.open(PAGES, 4 * PAGES + 5, beside);
  const random = randomFrom(1);
  const bytes = new Uint8Array(memory.buffer);
  for (let at = BASE; at < bytes.length; at++) bytes[at] = random(256);

  const returned: unknown[] = [];
  const watched = Object.fromEntries(
    Object.entries(kernel).map(([called, call]) => [
      called,
      (...args: number[]) => {
        const value: unknown = call(...args);
        if (called === name) returned.push(value);
        return value;
      },
    ]),
  );
  scenario({ kernel: watched as object as KernelExports, bytes, random });
  return { returned, memory: Buffer.from(memory.buffer).subarray(BASE) };
}

const all = await Promise.all(
  modules.map(async (module) => {
    const file = new URL(`../../build/${module.name}.release.wasm`, import.meta.url);
    const exports = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(file)));
    const functions = exports.flatMap(({ name, kind }) => (kind === 'function' ? [name] : []));
    return { name: module.name, functions, scenarios: await scenariosOf(module.name) };
  }),
);

it.each(all)('$name has a scenario for every function that it exports', ({ functions, scenarios }) => {
  expect(Object.keys(scenarios).sort()).toEqual(functions.sort());
});

/** The modules that are not linked beside all others. */
const aloneModules = modules.flatMap(({ name, hash, isForeign }) => (hash || isForeign ? [name] : []));
const hashingModules = modules.filter(({ hash }) => hash !== undefined).map(({ name }) => name);
const functionsOf = (module: string): string[] => all.find(({ name }) => name === module)?.functions ?? [];

it('no two modules export functions with the same name, but those that hash replace functions of the kernel', () => {
  const names = all.flatMap(({ name, functions }) => (aloneModules.includes(name) ? [] : functions));
  expect(new Set(names).size).toBe(names.length);
  const own = functionsOf('keyed').filter((name) => !functionsOf('kernel').includes(name));
  expect(own).toEqual(['secret_at']);
  // A function that hashes keys as the kernel does would bypass the secret.
  const hashing = functionsOf('kernel').filter((name) => /^hash_|_key$/.test(name));
  expect(hashing.filter((name) => !functionsOf('keyed').includes(name))).toEqual([]);
});

it.each(hashingModules)('%s hashes keys of every form in place of the kernel', (module) => {
  const hashing = functionsOf('kernel').filter((name) => name.startsWith('hash_'));
  expect(hashing.filter((name) => !functionsOf(module).includes(name))).toEqual([]);
});

const secret = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
const keyed: Beside = { module: 'keyed', secret };
const played = all.flatMap(({ name: module, scenarios }) =>
  Object.entries(scenarios).flatMap(([name, scenario]): Played[] => {
    if (module === 'keyed') return [{ name, scenario, beside: keyed }];
    if (aloneModules.includes(module)) return [{ name, scenario, beside: { module } }];
    const isBoth = module !== 'kernel' && name.endsWith('_key');
    return [{ name, scenario }, ...(isBoth ? [{ name, scenario, beside: keyed }] : [])];
  }),
);
const titled = played.map((each) => ({
  ...each,
  title: each.beside ? `${each.name}, with the module ${each.beside.module}` : each.name,
}));

describe.each(titled)('$title', ({ title: _, ...one }) => {
  const { name } = one;
  const [first, ...others] = builds.filter((build) => build !== debug || !addresses.includes(name));
  if (first === undefined) throw new Error('no builds');
  let expected: Outcome;

  beforeAll(() => {
    expected = play(one, first);
  });

  it('is called by its scenario', () => {
    expect(expected.returned).not.toEqual([]);
  });

  it.each(others)(`does the same in $name as in ${first.name}`, (build) => {
    const { returned, memory } = play(one, build);
    expect(returned).toEqual(expected.returned);
    expect(memory.length).toBe(expected.memory.length);
    const difference = memory.findIndex((byte, at) => byte !== expected.memory[at]);
    expect(difference, 'where memory first differs, counted from BASE').toBe(-1);
  });
});
