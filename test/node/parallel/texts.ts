import { PART_BYTES } from '../../../src/node/parallel/parts.ts';

/** Lines of numbers: 100,000 take more than one part. */
function numbered(count: number, end: string): string {
  return Array.from({ length: count }, (_, i) => `line ${i}${end}`).join('');
}

/** Texts of which parts are made. */
export const texts = {
  'several parts': numbered(100_000, '\n'),
  'no newline at the end': `${numbered(1000, '\n')}last`,
  CRLF: numbered(100_000, '\r\n'),
  'a line longer than a part': `first\n${'x'.repeat(PART_BYTES + 9)}\n${numbered(1000, '\n')}`,
  'a long last line': `first\n${'y'.repeat(PART_BYTES)}`,
  'a part to the byte': `${'z'.repeat(PART_BYTES - 1)}\nsecond\n`,
  'empty lines': '\n\na\n\n',
  nothing: '',
} as const;
