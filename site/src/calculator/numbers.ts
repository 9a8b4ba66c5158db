// Reads numbers as people write them, and writes rates.

import { integer, oneIn, percent, powerOfTen, short } from '../format.ts';

const POWERS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, b: 1e9, t: 1e12 };
const WORDS: Readonly<Record<string, string>> = { thousand: 'k', million: 'm', billion: 'g', trillion: 't' };

/** `1.000.000`: with two points it can only be a whole number. */
const POINTS_APART = /^\d{1,3}(?:\.\d{3}){2,}$/;

/**
 * Reads `1000000`, `1,000,000`, `1.000.000`, `1_000_000`, `1'000'000`, `1e6`, `1M` or `1 million`; NaN for anything
 * else.
 */
function scaled(text: string): number {
  const trimmed = text.trim().toLowerCase();
  const plain = (POINTS_APART.test(trimmed) ? trimmed.replaceAll('.', '') : trimmed)
    .replaceAll(/(?<=\d)[,_'’\s\u202f](?=\d{3}(?!\d))/g, '')
    .replace(/\s*(thousand|million|billion|trillion)$/, (_, word: string) => WORDS[word] ?? '');
  const [, digits = '', unit = ''] = /^((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([kmgbt]?)$/.exec(plain) ?? [];
  const value = digits === '' ? Number.NaN : Number(digits) * (POWERS[unit] ?? Number.NaN);
  // Rounded, because 1.1M is not exactly a whole number in floating point.
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** `1.000`, which is one thousand to some readers and one to others. */
const AMBIGUOUS = /^\s*[1-9]\d{0,2}\.\d{3}\s*$/;

/** Reads a whole number of at least 1; undefined for anything else. */
export function readCount(text: string): number | undefined {
  const value = AMBIGUOUS.test(text) ? Number.NaN : scaled(text);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Why `readCount` does not read a text, if that needs more than an example. */
export function whyNoCount(text: string): string | undefined {
  if (AMBIGUOUS.test(text)) {
    const digits = text.trim().replace('.', '');
    return `Write ${digits} or ${integer(Number(digits))}: a single point separates decimals here.`;
  }
  const value = scaled(text);
  if (value > Number.MAX_SAFE_INTEGER) return `At most ${integer(Number.MAX_SAFE_INTEGER)}.`;
  if (value > 0 && !Number.isInteger(value)) return `${text.trim()} is not a whole number.`;
  return undefined;
}

/** Reads a number of bits: `9585059`, `9.6M`, `1000 bits`, or a size in bytes such as `1.2 MB` or `1 MiB`. */
export function readBits(text: string): number | undefined {
  const [, number = '', unit = '', isBinary] = /^\s*([\d.,]+)\s*([kmgt]?)(i?)b(?:ytes)?\s*$/i.exec(text) ?? [];
  if (number === '') return readCount(text.replace(/\s*bits?\s*$/i, ''));
  const power = POWERS[unit.toLowerCase()] ?? 1;
  const scale = isBinary ? 1024 ** Math.round(Math.log10(power) / 3) : power;
  const bits = Math.round(8 * scaled(number) * scale);
  return Number.isSafeInteger(bits) && bits >= 1 ? bits : undefined;
}

/** A decimal comma, where it cannot separate thousands: `0,001`, `1,5`. */
function withPoint(text: string): string {
  return text.replace(/^\s*(0|\d+(?=,\d{1,2}\D*$)),(?=\d)/, '$1.');
}

/** Reads a rate between 0 and 1: `0.01`, `0,01`, `1e-6`, `1 %`, `1 in 100`. */
export function readRate(text: string): number | undefined {
  const inText = /^\s*1\s*(?:in|\/|:)\s*(.+)$/i.exec(text)?.[1];
  const percentage = /^(.*)%\s*$/.exec(text)?.[1];
  const value =
    inText !== undefined
      ? 1 / (AMBIGUOUS.test(inText) ? Number.NaN : scaled(inText))
      : percentage !== undefined
        ? scaled(withPoint(percentage)) / 100
        : scaled(withPoint(text));
  return value > 0 && value < 1 ? value : undefined;
}

/** Below this rate, percent have too many zeros to be read. */
const LEAST_PERCENT = 1e-6;

/** A rate for an input field, as `readRate` reads it: `1 %`, `0.0001 %`, `1e-20`. */
export function writtenRate(rate: number): string {
  return rate >= LEAST_PERCENT ? percent(rate) : String(Number(rate.toPrecision(3)));
}

/** Below this rate, a chance would have more zeros than can be counted. */
const LEAST_COUNTED = 1e-9;

/** A rate as a chance, without endless zeros: `1 in 10,000`, `1 in 10²⁰`. */
export function chance(rate: number): string {
  if (rate === 0 || rate >= LEAST_COUNTED) return oneIn(rate);
  const [mantissa = '', exponent = ''] = (1 / rate).toExponential(1).split('e');
  const times = Number(mantissa) === 1 ? '' : `${short(Number(mantissa))} × `;
  return `1 in ${times}${powerOfTen(Number(exponent))}`;
}
