// Lines of `src` where some changes give the same results, because the line only chooses between ways, sizes or times.
// Each was looked at when a change of it survived. StrykerJS's survivors on them are counted by themselves.

const SPEED = 'chooses the faster of two ways that give the same hashes';
const MEMORY = 'chooses when memory is given back; no result depends on it';
const BROWSERS = 'differs in browsers only, where `npm run test:runtimes` runs it';
const SIZES = 'is a size that must only be large enough';

/** By file: the text of a line, and why it may be changed. */
export const equivalents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/kernel/arena.ts': { 'this.#limit = Math.max(2 * limit, this.used + 2 * byteLength);': SIZES },
  'src/kernel/embedded-module.ts': { "const OPTIONS = { builtins: ['js-string'] };": SPEED },
  'src/kernel/engine-js.ts': {
    'for (let i = from; i < to; i++) {': 'reads memory ahead',
    'sum += key.charCodeAt(key.length - 1) | 0;': 'reads memory ahead',
    "if (typeof key !== 'string' || key.length > CHUNK_UNITS) break;": SPEED,
  },
  'src/kernel/engine.ts': {
    'if (!mayRefer || place.weak) return;': MEMORY,
    'setTimeout(() => (mayRefer = true));': MEMORY,
    'if (arena.used > 0) return;': MEMORY,
  },
  'src/kernel/region.ts': {
    'if (missing(byteLength) <= 0) return;': 'growth by nothing changes nothing',
    'if (memory === source.instance.memory) return visit(pointer, source.pointer, paddedLength) !== 0;': SPEED,
  },
  'src/kernel/runtime.ts': {
    "const inBrowser: boolean = /^Mozilla/.test(globalThis.navigator?.userAgent ?? '');": BROWSERS,
    'charCodeAt: (text: string, index: number): number => text.charCodeAt(index),': BROWSERS,
    'if (!inBrowser) return;': BROWSERS,
    'limit = (96 + (performance.now() - start) / 4) * MIB;': BROWSERS,
  },
  'src/kernel/scratch.ts': {
    'const ENDS: number = CHUNK_BYTES + PADDING;': SIZES,
    'const FLAGS: number = HASHES + 16 * CHUNK_KEYS;': SIZES,
    'this.keyView = new DataView(buffer, this.keys, CHUNK_BYTES + PADDING);': SIZES,
  },
  'src/kernel/utf8.ts': {
    'return at < text.length && (text.codePointAt(at - 1) as number) > 0xffff;':
      'U+FFFF is cut where it ends, and the length is asked because of a fault of V8 24 and 26',
  },
  'src/keys/iterables.ts': {
    'for (; count < keys.length && (count < LEAST_AHEAD || length < LENGTH_AHEAD); count++) {': SPEED,
  },
  'src/keys/lines.ts': {
    'const words = whole > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + head, whole) : new Uint32Array(0);':
      'an array of no words is empty either way',
  },
  'src/keys/runs.ts': {
    'const isMixed = typeof keys[from + 1] !== typeof first;': SPEED,
  },
};
