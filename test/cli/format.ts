import { KeyColumn } from 'bloomery';
import { formatOf, type TextFormat, type TextValues } from '../../cli/text/format.ts';
import { keysOf } from '../../cli/text/records.ts';

/** The format that these options say, and no others. */
export function formatWith(values: Partial<TextValues>): TextFormat {
  return formatOf(values as TextValues);
}

/** The keys of a text whose keys are not its lines. */
export function keyTexts(text: string | Uint8Array, format: TextFormat): string[] {
  const keys = keysOf(Buffer.from(text), format);
  if (!(keys instanceof KeyColumn)) throw new Error('the keys are lines');
  const { data, offsets } = keys;
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    Buffer.from(data.subarray(Number(offsets[i]), Number(offsets[i + 1]))).toString(),
  );
}
