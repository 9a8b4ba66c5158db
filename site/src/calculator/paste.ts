// The answer as a text to paste into a message or a comment.

import { binarySize, byteSize, integer, plural, short } from '../format.ts';
import { typeScript } from './code.ts';
import { bitsOf, bytesOf } from './kind-row.ts';
import { chance, writtenRate } from './numbers.ts';
import { type Answer, bitsPerKey, type Question } from './solve.ts';

export function pasteOf(question: Question, answer: Answer): string {
  const { row, capacity, errorRate, shape } = answer;
  const bytes = bytesOf(shape);
  const code = typeScript(question, answer).split('\n');
  // Those for m and k give the best k, which is not the one that was asked for.
  const formulas = row.formula.split('; ').filter((each) => question.hashes === undefined || each.startsWith('p = '));
  return [
    `n = ${plural(capacity, 'key')}`,
    `p = ${writtenRate(errorRate)}: ${chance(errorRate)} absent keys looks present`,
    `m = ${integer(bitsOf(shape))} bits = ${byteSize(bytes)} = ${binarySize(bytes)}: ${short(bitsPerKey(answer))} bits a key`,
    `k = ${plural(shape.hashes, 'hash', 'hashes')}`,
    ...(formulas.length > 0 ? [`by ${formulas.join('; ')}`] : []),
    ...code.filter((line) => line.startsWith('const ')),
  ].join('\n');
}
