// Passes the records of a text on, in slices, with the readers of the command line.

import { KeyLines, type LineProgress } from 'bloomery';
import { joined } from '../../../cli/text/bytes.ts';
import { cutText, slicesOf } from '../../../cli/text/cut.ts';
import { endOfRecord, NEWLINE, newTally, requireValid, type TextFormat } from '../../../cli/text/format.ts';
import { countKeys, keyedIn, type TextKeys } from '../../../cli/text/records.ts';
import type { TextFile } from './text-file.ts';

/** The lines to keep, or a flag for each key: 1 to keep its record. Undefined if all are only read. */
export type Select = (keys: TextKeys) => KeyLines | Uint8Array | undefined;

export interface Passing {
  readonly signal: AbortSignal;
  onProgress(progress: LineProgress): void;
  /** Takes the header and the records that are kept. */
  write?(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Other code of the Worker, such as what cancels, runs at least so often. */
const STEP_MS = 100;

function flaggedIn(text: Uint8Array, format: TextFormat, flags: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  // Records are copied together if they are next to each other.
  let start = 0;
  for (let [at, record] = [0, 0]; at < text.length; record++) {
    const end = endOfRecord(text, at, format);
    if (!flags[record]) {
      kept.push(text.subarray(start, at));
      start = end;
    }
    at = end;
  }
  return joined([...kept, text.subarray(start)]);
}

/** The header with what ends it, for the records below it. */
function wholeHeader({ tally: { header } }: TextFormat): Uint8Array[] {
  if (header === undefined) return [];
  return header.at(-1) === NEWLINE ? [header] : [header, Uint8Array.of(NEWLINE)];
}

/**
 * @returns how many records lack one of the columns
 * @throws InvalidRecordError for a record that is not in the format, after the records before it have been passed on; the
 *   reason of the signal if it is aborted
 */
export async function passRecords(
  text: TextFile,
  form: TextFormat,
  select: Select,
  { signal, onProgress, write = async () => {} }: Passing,
): Promise<number> {
  const format = { ...form, tally: newTally() };
  let [bytes, lines, kept] = [0, 0, 0];
  let [isBegun, until] = [false, performance.now() + STEP_MS];
  const report = (): void => onProgress({ bytes, lines, kept });
  async function* counted() {
    for await (const chunk of text.open()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const writeBelowHeader = async (records: Uint8Array): Promise<void> => {
    const parts = isBegun ? [records] : [...wholeHeader(format), records];
    isBegun = true;
    await write(joined(parts));
  };
  for await (const { bytes: records, format: own } of cutText('', { mark: text.mark, chunks: counted() }, format)) {
    for (const slice of slicesOf(records, own)) {
      const { text: valid, keys } = keyedIn(slice, own);
      const selected = select(keys);
      const count = countKeys(keys);
      lines += count;
      if (selected instanceof KeyLines) kept += selected.count();
      else kept += selected ? selected.reduce((sum, flag) => sum + flag, 0) : count;
      const found = selected instanceof Uint8Array ? flaggedIn(valid, own, selected) : selected?.bytes;
      if (found && found.length > 0) await writeBelowHeader(found);
      requireValid(own);
      if (performance.now() < until) continue;
      report();
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      until = performance.now() + STEP_MS;
    }
    report();
    signal.throwIfAborted();
  }
  if (!isBegun && format.tally.header) await writeBelowHeader(new Uint8Array(0));
  report();
  return format.tally.lacking;
}
