// What false positives cost: each is a lookup in vain, in a database or over the network.

import { byteSize, duration, integer, short } from '../format.ts';
import { bitsOf } from './kind-row.ts';
import { shapeIfAny } from './limits.ts';
import type { Answer } from './solve.ts';

/** What one false positive costs: seconds, or an amount of money. */
export interface Cost {
  readonly amount: number;
  /** A sign of a currency; undefined for seconds. */
  readonly currency: string | undefined;
}

const SECONDS: Readonly<Record<string, number>> = { µs: 1e-6, us: 1e-6, ms: 1e-3, s: 1, min: 60 };
const MOST = 1e9;

/** `1,000`: to most readers of this page, one thousand. */
const THOUSANDS = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?:e-?\d+)?$/i;

/** Reads `5 ms`, `0.3 s`, `$0.001`, `$1,000` or `0,1 €`; undefined for anything else. */
export function readCost(text: string): Cost | undefined {
  // The Greek letter, which looks like the sign for millionths.
  const [, before, digits = '', after] =
    /^\s*([$€£¥])?\s*(\d[\d.,]*(?:e-?\d+)?)\s*(µs|us|ms|s|min|[$€£¥])?\s*$/i.exec(text.replace('\u03bc', 'µ')) ?? [];
  const amount = Number(THOUSANDS.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.'));
  const unit = before ?? after?.toLowerCase();
  if (digits === '' || unit === undefined || (before && after) || !(amount >= 0 && amount <= MOST)) return undefined;
  const seconds = SECONDS[unit];
  return seconds === undefined ? { amount, currency: unit } : { amount: seconds * amount, currency: undefined };
}

export const COST_WANTED = 'A time such as 5 ms, or money such as $0.001.';
export const LOOKUPS_WANTED = 'A whole number of lookups, such as 1M.';

export interface Load {
  /** Lookups of absent keys in a day, as text. */
  readonly lookups: string;
  /** What one false positive costs, as text. */
  readonly cost: string;
}

export const firstLoad: Load = { lookups: '1,000,000', cost: '5 ms' };

function timeWords(seconds: number): string {
  if (seconds === 0) return 'nothing';
  if (seconds < 1) return `${short(1000 * seconds)} ms`;
  const hours = seconds / 3600;
  return hours >= 100 ? `${integer(hours)} h` : duration(seconds);
}

function moneyWords(amount: number, currency: string): string {
  if (amount === 0) return 'nothing';
  return `${currency}${amount >= 1000 ? integer(amount) : amount >= 0.01 ? amount.toFixed(2) : short(amount)}`;
}

function costWords(times: number, { amount, currency }: Cost): string {
  return currency === undefined ? timeWords(times * amount) : moneyWords(times * amount, currency);
}

/** A number of lookups, which need not be whole: it is a mean. */
function timesWords(times: number): string {
  return times >= 100 ? integer(times) : short(times);
}

/** What a day costs: without a filter, with the one of the answer, and with one that errs ten times more rarely. */
export function costRows(answer: Answer, lookups: number, cost: Cost) {
  const { row, capacity, errorRate, shape } = answer;
  const rowOf = (name: string, rate: number, bits: number) => ({
    name,
    inVain: timesWords(rate * lookups),
    cost: costWords(rate * lookups, cost),
    memory: bits === 0 ? '–' : byteSize(Math.ceil(bits / 8)),
  });
  const rarer = shapeIfAny(row, capacity, errorRate / 10);
  return [
    rowOf('without a filter', 1, 0),
    rowOf('with this filter', errorRate, bitsOf(shape)),
    ...(rarer === undefined ? [] : [rowOf('with a tenth of the errors', errorRate / 10, bitsOf(rarer))]),
  ];
}
