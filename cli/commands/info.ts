import { filterOperand, jsonOption, readFormatOption, secretFileOption } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { describe, factsOf, listOf } from '../filters/facts.ts';
import { type Loaded, loadFilter } from '../filters/filter-file.ts';
import { write, writeJson } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import { exactSize } from '../numbers.ts';

function show({ filter, bytes, isZipped }: Loaded): string {
  return listOf([...factsOf(filter), ['file', `${exactSize(bytes)}${isZipped ? ', compressed' : ''}`]]);
}

export const infoCommand = command({
  name: 'info',
  summary: "show a filter's parameters, and how full it is",
  description: "Shows a filter's parameters, and how full it is. The whole file is read and checked.",
  operands: [filterOperand],
  options: { json: jsonOption, format: readFormatOption, 'secret-file': secretFileOption },
  examples: ['bloomery info names.bloom', 'bloomery info names.bloom --json | jq .fillRatio'],
  async action([name = ''], { json, format, 'secret-file': secretFile }) {
    const loaded = await loadFilter(name, await readableUnder(secretFile), format);
    if (json) await writeJson({ ...describe(loaded.filter), fileBytes: loaded.bytes });
    else await write(show(loaded));
  },
});
