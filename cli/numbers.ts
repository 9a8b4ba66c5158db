// How the command line reads and writes numbers.

import { CommandError, quote } from './command-error.ts';

const NUMBER = /^(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const POWERS = ['', 'k', 'm', 'g', 't'];

/** The largest value of a map. */
export const LARGEST_VALUE: number = 2 ** 32 - 1;

/** Reads `1000000`, `1_000_000`, `1e6`; NaN for anything else. */
function numberIn(text: string): number {
  return NUMBER.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
}

const withoutLast = (text: string): string => text.substring(0, text.length - 1);

function invalid(name: string, wanted: string, text: string): CommandError {
  return new CommandError(`${name} must be ${wanted}, got ${quote(text)}`);
}

/** Reads a number with a unit: `1k`, `1.5M`, `2e6`. The base is that of the powers that the letters stand for. */
function scaled(text: string, base: number): number {
  const letter = /[kmgt]$/i.exec(text)?.[0].toLowerCase() ?? '';
  return numberIn(letter ? withoutLast(text) : text) * base ** POWERS.indexOf(letter);
}

/** Reads a count of at least 1: `1000000`, `1_000_000`, `1e6`, `1M`. */
export function readCount(text: string, name: string): number {
  const value = scaled(text, 1000);
  // Rounded, because 1.1M is not exactly a whole number in floating point.
  const count = Number.isInteger(value) ? value : Number(value.toPrecision(15));
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw invalid(name, 'a whole number from 1 to 9e15, such as 1000000, 1e6 or 1M', text);
}

/** Reads an integer from `low` to `high`. */
export function readInteger(text: string, name: string, low: number, high: number): number {
  const value = numberIn(text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw invalid(name, `a whole number from ${low} to ${high}`, text);
}

function rateIn(text: string): number {
  return text.endsWith('%') ? numberIn(withoutLast(text).trimEnd()) / 100 : numberIn(text);
}

/** Reads a rate of more than 0, at most 1: see `readRate`. */
export function readShare(text: string, name: string): number {
  return rateIn(text) === 1 ? 1 : readRate(text, name);
}

/** Reads a rate between 0 and 1: `0.01`, `1e-6`, `1%`. */
export function readRate(text: string, name: string): number {
  const rate = rateIn(text);
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

/** Formats an integer: `1,234,567`. Intl.NumberFormat would do it too, for 7 MB of memory. */
export function integer(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun: `1 key`, `2,000 keys`. */
export function plural(count: number, noun: string): string {
  return `${integer(count)} ${noun}${Math.round(count) === 1 ? '' : 's'}`;
}

/** Allows for rounding to three digits: 999.5 is written as 1000. */
const ROUNDED = 1000 / 999.5;

/** Formats a size with three digits, in powers of 1000: `12.3 MB`. */
export function byteSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes * ROUNDED) / 3));
  const value = bytes / 1000 ** step;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(value * ROUNDED)));
  return `${step === 0 ? value : value.toFixed(decimals)} ${units[step]}`;
}

/** Formats a size with three digits, and exactly: `12.3 MB (12,345,678 bytes)`. */
export function exactSize(bytes: number): string {
  return bytes < 1000 ? byteSize(bytes) : `${byteSize(bytes)} (${integer(bytes)} bytes)`;
}

/** Formats a rate, 0 … 1, with three digits: `0.01`, `1.23e-7`. */
export function rate(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Formats the least rate that is allowed, with three digits: rounded up, so that what is shown is allowed too. */
export function leastRate(value: number): string {
  const nearest = Number(value.toPrecision(3));
  if (nearest >= value) return String(nearest);
  return rate(nearest + 10 ** (Math.floor(Math.log10(value)) - 2));
}

/** Formats a duration: `5 s`, `2 min 5 s`, `1 h 2 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
