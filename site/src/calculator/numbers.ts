// Reads numbers as people write them.

const POWERS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, b: 1e9, t: 1e12 };
const WORDS: Readonly<Record<string, string>> = { thousand: 'k', million: 'm', billion: 'g', trillion: 't' };

/** Reads `1000000`, `1,000,000`, `1_000_000`, `1e6`, `1M` or `1 million`; NaN for anything else. */
function scaled(text: string): number {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=\d)[,_\s\u202f](?=\d{3}(?!\d))/g, '')
    .replace(/\s*(thousand|million|billion|trillion)$/, (_, word: string) => WORDS[word] ?? '');
  const [, digits = '', unit = ''] = /^((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([kmgbt]?)$/.exec(plain) ?? [];
  // Rounded, because 1.1M is not exactly a whole number in floating point.
  return digits === '' ? Number.NaN : Number((Number(digits) * (POWERS[unit] ?? Number.NaN)).toPrecision(15));
}

/** Reads a whole number of at least 1; undefined for anything else. */
export function readCount(text: string): number | undefined {
  const value = scaled(text);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

const BYTES: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1000 ** 2, g: 1000 ** 3, t: 1000 ** 4 };

/** Reads a number of bits: `9585059`, `9.6M`, or a size in bytes such as `1.2 MB` or `1 MiB`. */
export function readBits(text: string): number | undefined {
  const [, number = '', unit = '', isBinary] = /^\s*([\d.,]+)\s*([kmgt]?)(i?)b(?:ytes)?\s*$/i.exec(text) ?? [];
  if (number === '') return readCount(text);
  const scale = isBinary
    ? 1024 ** Math.round(Math.log10(BYTES[unit.toLowerCase()] ?? 1) / 3)
    : BYTES[unit.toLowerCase()];
  const bits = Math.round(8 * scaled(number) * (scale ?? Number.NaN));
  return Number.isSafeInteger(bits) && bits >= 1 ? bits : undefined;
}

/** Reads a rate between 0 and 1: `0.01`, `1e-6`, `1 %`, `1 in 100`. */
export function readRate(text: string): number | undefined {
  const inText = /^\s*1\s*(?:in|\/|:)\s*(.+)$/i.exec(text)?.[1];
  const percentage = /^(.*)%\s*$/.exec(text)?.[1];
  const value =
    inText !== undefined ? 1 / scaled(inText) : percentage !== undefined ? scaled(percentage) / 100 : scaled(text);
  return value > 0 && value < 1 ? value : undefined;
}
