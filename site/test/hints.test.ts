import { expect, it } from 'vitest';
import { hintFor } from '../src/filter-list/hints.ts';
import type { Input, Job } from '../src/filter-list/job.ts';
import { asLines, type Reading } from '../src/filter-list/reading.ts';

const columns = /^No line matches. Whole records are compared: tick the column/;
const alike = /^No line matches. Some differ only in upper and lower case, or in blanks/;

it.each([
  ['a,1\nb,2\n', 'c\nd\n', { form: 'comma' }, columns],
  ['a,1\nb,2\n', 'c\nd\n', { form: 'comma', fields: [1] }, /^$/],
  ['a,1', undefined, { form: 'comma' }, columns],
  ['a', undefined, {}, /^$/],
  ['ADA\nBob\n', 'ada\nbob\n', {}, alike],
  ['ada \nbob\n', 'ada\r\neve\r\n', { ignoreCase: true }, alike],
  ['ada \nbob\n', 'ada\neve\n', { ignoreCase: true, trim: true }, /^$/],
  ['a\n\nb\n', 'c\n\nd\n', {}, /^$/],
] as const)('a hint at why nothing matches: %j in %j, %o', (text, list, given: Partial<Reading & Job>, expected) => {
  const [ofText, ofList] = [text, list].map((each) => (each === undefined ? each : new TextEncoder().encode(each)));
  const input = { reading: { ...asLines, ...given } } as Input;
  const job = { text: input, list: { reading: list === undefined ? undefined : asLines }, ...given } as Job;
  expect(hintFor(job, 0, ofText as Uint8Array, ofList)).toMatch(expected);
  expect(hintFor(job, 1, ofText as Uint8Array, ofList)).toBe('');
  expect(hintFor({ ...job, list: undefined }, 0, ofText as Uint8Array, ofList)).toBe('');
});
