import { formatOf, type TextFormat, type TextValues } from '../../cli/text/format.ts';

const NONE: TextValues = {
  field: undefined,
  delimiter: undefined,
  csv: false,
  'json-field': undefined,
  header: false,
  null: false,
  'no-crlf': false,
};

/** The format that these options say, and no others. */
export function formatWith(values: Partial<TextValues>): TextFormat {
  return formatOf({ ...NONE, ...values });
}
