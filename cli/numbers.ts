import { CommandError, quote } from './errors.ts';

const NUMBER = /^(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const POWERS = ['', 'k', 'm', 'g', 't'];

/** Reads `1000000`, `1_000_000`, `1e6`; NaN for anything else. */
function numberIn(text: string): number {
  return NUMBER.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
}

function invalid(name: string, wanted: string, text: string): CommandError {
  return new CommandError(`${name} must be ${wanted}, got ${quote(text)}`);
}

/** Reads a number with a unit: `1k`, `1.5M`, `2e6`. The base is that of the powers that the letters stand for. */
function scaled(text: string, base: number): number {
  const letter = /[kmgt]$/i.exec(text)?.[0].toLowerCase() ?? '';
  return numberIn(letter ? text.slice(0, -1) : text) * base ** POWERS.indexOf(letter);
}

/** Reads a count of at least 1: `1000000`, `1_000_000`, `1e6`, `1M`. */
export function readCount(text: string, name: string): number {
  // Rounded, because 1.1M is not exactly a whole number in floating point.
  const count = Number(scaled(text, 1000).toPrecision(15));
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw invalid(name, 'a whole number from 1 to 9e15, such as 1000000, 1e6 or 1M', text);
}

/** Reads an integer from `low` to `high`. */
export function readInteger(text: string, name: string, low: number, high: number): number {
  const value = numberIn(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw invalid(name, `a whole number from ${low} to ${high}`, text);
}

/** Reads a rate between 0 and 1: `0.01`, `1e-6`, `1%`. */
export function readRate(text: string, name: string): number {
  const isPercentage = text.endsWith('%');
  const rate = isPercentage ? numberIn(text.slice(0, -1).trimEnd()) / 100 : numberIn(text);
  if (rate > 0 && rate < 1) return rate;
  throw invalid(name, 'a number between 0 and 1, such as 0.01, 1e-6 or 1%', text);
}

/** Reads a number of bytes: `500000`, `10M`, `1.5GB` in powers of 1000, `10MiB` in powers of 1024. */
export function readBytes(text: string, name: string): number {
  const [, number = '', isBinary] = /^(.*?[kmgt]?)(i?)b?$/i.exec(text) ?? [];
  const bytes = Math.floor(scaled(number, isBinary ? 1024 : 1000));
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes;
  throw invalid(name, 'a number of bytes, such as 500k, 10M or 1.5GB', text);
}
