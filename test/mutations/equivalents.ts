// Changes of `src` that give the same results, because the line only chooses between ways or times. Each was looked at
// when it survived. StrykerJS's survivors among them are counted by themselves; other changes of a line count as any.

const SPEED = 'chooses the faster of two ways that give the same hashes';
const AHEAD = 'reads memory ahead';
const MEMORY = 'chooses when memory is given back; no result depends on it';
const BROWSERS = 'differs in browsers only, where `npm run test:runtimes` runs it';

/** Why, and what StrykerJS puts in place of a part of the line. */
type Line = readonly [why: string, ...replacements: string[]];

/** By file: the text of a line, and its changes. */
export const equivalents: Readonly<Record<string, Readonly<Record<string, Line>>>> = {
  'src/kernel/arena.ts': {
    'this.#limit = Math.max(2 * limit, this.used + 2 * byteLength);': [
      'the other limit is large enough, and grows more often',
      '2 / limit',
    ],
  },
  'src/kernel/embedded-module.ts': { "const OPTIONS = { builtins: ['js-string'] };": [SPEED, '{}', '[]', '""'] },
  'src/kernel/engine-js.ts': {
    'for (let i = from; i < to; i++) {': [AHEAD, 'false', 'i <= to', 'i >= to', 'i--'],
    'sum += key.charCodeAt(key.length - 1) | 0;': [
      AHEAD,
      'sum -= key.charCodeAt(key.length - 1) | 0',
      'key.length + 1',
    ],
    "if (typeof key !== 'string' || key.length > CHUNK_UNITS) break;": [
      SPEED,
      'true',
      "typeof key === 'string'",
      '""',
      'key.length >= CHUNK_UNITS',
      'key.length <= CHUNK_UNITS',
    ],
  },
  'src/kernel/engine.ts': {
    'if (!mayRefer || place.weak) return;': [MEMORY, 'true', 'false', '!mayRefer && place.weak', 'mayRefer'],
    'setTimeout(() => (mayRefer = true));': [MEMORY, '() => undefined', 'false'],
    'if (arena.used > 0) return;': [MEMORY, 'false'],
  },
  'src/kernel/region.ts': {
    'if (missing(byteLength) <= 0) return;': ['growth by nothing changes nothing', 'missing(byteLength) < 0'],
    'if (memory === source.instance.memory) return visit(pointer, source.pointer, paddedLength) !== 0;': [
      SPEED,
      'false',
    ],
  },
  'src/kernel/runtime.ts': {
    "return pattern.test(globalThis.navigator?.userAgent ?? '');": [BROWSERS, '"Stryker was here!"'],
    'charCodeAt: (text: string, index: number): number => text.charCodeAt(index),': [BROWSERS, '() => undefined'],
    'if (!inBrowser) return;': [BROWSERS, 'false'],
    'limit = (96 + (performance.now() - start) / 4) * MIB;': [BROWSERS, 'performance.now() + start'],
  },
  'src/kernel/utf8.ts': {
    'return at < text.length && (text.codePointAt(at - 1) as number) > 0xffff;': [
      'a pair has more units behind it, and U+FFFF is cut where it ends',
      'at <= text.length',
      'true',
      'text.codePointAt(at - 1) as number >= 0xffff',
    ],
  },
  'src/keys/iterables.ts': {
    'for (; count < keys.length && (count < LEAST_AHEAD || length < LENGTH_AHEAD); count++) {': [
      SPEED,
      'true',
      'false',
      'count <= LEAST_AHEAD',
      'count >= LEAST_AHEAD',
      'length <= LENGTH_AHEAD',
    ],
  },
  'src/keys/lines.ts': {
    'const words = whole > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + head, whole) : new Uint32Array(0);': [
      'an array of no words is empty either way',
      'false',
    ],
  },
  'src/keys/runs.ts': {
    'const isMixed = typeof keys[from + 1] !== typeof first;': [
      SPEED,
      'true',
      'false',
      'typeof keys[from + 1] === typeof first',
      'from - 1',
    ],
  },
};
