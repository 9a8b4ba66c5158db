import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { modules } from '../../tools/modules.ts';
import { randomFrom } from '../shared/random.ts';
import { BASE, type Build, builds, debug } from './builds.ts';
import { PAGES, type Scenario } from './scenarios/stage.ts';

// In every build, every function of every module leaves the same bytes and returns the same numbers. Each module has
// its scenarios in a file with its name. Functions of linked modules that hash keys are also played under a secret.

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
  readonly secret?: Uint8Array;
}

interface Outcome {
  readonly returned: readonly unknown[];
  readonly memory: Buffer;
}

function play({ name, scenario, secret }: Played, build: Build): Outcome {
  const { kernel, memory } = build.open(PAGES, 4 * PAGES + 5, secret);
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

it('no two modules export functions with the same name, but the keyed one replaces functions of the kernel', () => {
  const names = all.flatMap(({ name, functions }) => (name === 'keyed' ? [] : functions));
  expect(new Set(names).size).toBe(names.length);
  const functionsOf = (module: string): string[] => all.find(({ name }) => name === module)?.functions ?? [];
  const own = functionsOf('keyed').filter((name) => !functionsOf('kernel').includes(name));
  expect(own).toEqual(['secret_at']);
  // A function that hashes keys as the kernel does would bypass the secret.
  const hashing = functionsOf('kernel').filter((name) => /^hash_|_key$/.test(name));
  expect(hashing.filter((name) => !functionsOf('keyed').includes(name))).toEqual([]);
});

const secret = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
const played = all.flatMap(({ name: module, scenarios }) =>
  Object.entries(scenarios).flatMap(([name, scenario]): Played[] => {
    if (module === 'keyed') return [{ name, scenario, secret }];
    const isBoth = module !== 'kernel' && name.endsWith('_key');
    return [{ name, scenario }, ...(isBoth ? [{ name, scenario, secret }] : [])];
  }),
);
const titled = played.map((each) => ({ ...each, title: each.secret ? `${each.name}, under a secret` : each.name }));

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
