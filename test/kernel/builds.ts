import { readFileSync } from 'node:fs';
import { type Imports, instantiateSync } from '@assemblyscript/loader';
import { type ScalarImports, scalarMemory } from '../../src/kernel/engine-js.ts';
import { type KernelExports, linked } from '../../src/kernel/instance.ts';
import { keep } from '../../src/kernel/keyed-engine.ts';
import { STRINGS } from '../../src/kernel/runtime.ts';
import type { Memory } from '../../src/kernel/scratch.ts';
import { kernelModule, linkedModules, type Module, modules } from '../../tools/modules.ts';

export interface Opened {
  /** The functions of the kernel and of the linked modules. */
  readonly kernel: KernelExports;
  readonly memory: Memory;
}

/** A module that is not linked beside all others, by its name, and the secret that the keyed one needs. */
export interface Beside {
  readonly module: string;
  readonly secret?: Uint8Array;
}

/** One of the forms to which all modules are compiled. All forms must do the same. */
export interface Build {
  readonly name: string;
  /** The most pages of 64 KiB that its engine may use: their end must not wrap to 0, or exceed 2^31. */
  readonly maxPages: number;
  /**
   * Instantiates the modules over one new memory of `pages` pages that may grow to `maximum` pages. Of the modules whose
   * functions replace those of the kernel, or that are for other systems, only the one that is given is among them.
   */
  open(pages: number, maximum?: number, beside?: Beside): Opened;
}

/** Throws on a read past the end, as a runtime's own functions trap, so that such a read fails in every build. */
const strictStrings = {
  charCodeAt(text: string, index: number): number {
    if (index >= text.length) throw new RangeError(`unit ${index} of a string of ${text.length}`);
    return text.charCodeAt(index);
  },
};

type Instantiate<M extends Memory> = (imports: { env: { memory: M }; [STRINGS]: object; kernel?: object }) => object;

/** The linked modules in the order in which engines link them: first the one that is given, if any. */
function inOrder(beside: Beside | undefined): Module[] {
  const first = linkedModules.filter(({ name }) => name === beside?.module);
  return [...first, ...linkedModules.filter(({ hash, isForeign }) => hash === undefined && !isForeign)];
}

function linkAll<M extends Memory>(memory: M, all: ReadonlyMap<string, Instantiate<M>>, beside?: Beside): Opened {
  const make = (name: string, kernel?: object): object => {
    const instantiate = all.get(name);
    if (instantiate === undefined) throw new Error(`there is no module ${name}`);
    return instantiate({ env: { memory }, [STRINGS]: strictStrings, ...(kernel && { kernel }) });
  };
  let bare = { kernel: make(kernelModule.name) as KernelExports, memory, readableUnits: 0 };
  for (const { name } of inOrder(beside)) bare = { ...bare, ...linked(bare, make(name, bare.kernel)), memory };
  if (beside?.secret) keep(beside.secret)(bare);
  return bare;
}

function wasm(target: string): Build {
  const compiled = new Map(
    modules.map(({ name }): [string, Instantiate<WebAssembly.Memory>] => {
      const bytes = readFileSync(new URL(`../../build/${name}.${target}.wasm`, import.meta.url));
      const module = new WebAssembly.Module(bytes, { builtins: ['js-string'] });
      return [
        name,
        // The loader supplies `abort`, which says where an assertion of a debug build failed.
        (imports) => ({ ...instantiateSync(module, imports as object as Imports).instance.exports }),
      ];
    }),
  );
  return {
    name: `${target}.wasm`,
    maxPages: 65535,
    open: (pages, maximum = pages, beside = undefined) =>
      linkAll(new WebAssembly.Memory({ initial: pages, maximum }), compiled, beside),
  };
}

async function scalarJs(): Promise<Build> {
  const loaded = await Promise.all(
    modules.map(async ({ name }) => {
      const { instantiate } = (await import(`../../src/kernel/generated/${name}/scalar.js`)) as {
        instantiate(imports: ScalarImports): object;
      };
      return [name, instantiate as Instantiate<ScalarImports['env']['memory']>] as const;
    }),
  );
  return {
    name: 'scalar.js',
    maxPages: 32767,
    open: (pages, maximum = pages, beside = undefined) =>
      linkAll(scalarMemory(pages, maximum), new Map(loaded), beside),
  };
}

export const release: Build = wasm('release');
export const debug: Build = wasm('debug');
export const scalar: Build = wasm('scalar');
export const js: Build = await scalarJs();

/** All builds; only the release build if no other one is up to date: see test/mutations. */
export const builds: readonly Build[] = process.env['ONLY_RELEASE'] ? [release] : [release, debug, scalar, js];

/** An address above the static data of all builds, so that tests can use the same layout in each. */
export const BASE: number = Math.max(...builds.map(({ open }) => open(1).kernel.heap_base()));

const GUARD = 64;
const POISON = 0xa5;

type View<T> = new (buffer: ArrayBuffer, at: number, length: number) => T;

/** Allocates places in memory one after the other, separated by guard bytes that nothing may overwrite. */
export class Layout {
  readonly #buffer: ArrayBuffer;
  readonly #guards: Uint8Array[] = [];
  #end = BASE;

  constructor(memory: Memory) {
    this.#buffer = memory.buffer;
    this.#guard();
  }

  /** Takes the next place, aligned to 64 bytes. Its `byteOffset` is the pointer to it. */
  take<T extends ArrayBufferView>(View: View<T>, length: number): T {
    const place = new View(this.#buffer, this.#end, length);
    this.#end += place.byteLength;
    this.#guard();
    return place;
  }

  #guard(): void {
    const end = Math.ceil((this.#end + GUARD) / 64) * 64;
    this.#guards.push(new Uint8Array(this.#buffer, this.#end, end - this.#end).fill(POISON));
    this.#end = end;
  }

  get intact(): boolean {
    return this.#guards.every((guard) => guard.every((byte) => byte === POISON));
  }
}

/** The functions of a kernel, with those of linked modules, and a layout of its memory. */
export function laidOut<Exports = KernelExports>({ kernel, memory }: Opened): { kernel: Exports; layout: Layout } {
  return { kernel: kernel as Exports, layout: new Layout(memory) };
}
