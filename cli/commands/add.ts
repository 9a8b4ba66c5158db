import { filesOperand, secretFileOption, textOptions } from '../args/options.ts';
import { command } from '../args/parse.ts';
import { CommandError } from '../errors.ts';
import { filterWriter, loadGrowing, reportSaved } from '../filters/filter-file.ts';
import { requireOther } from '../filters/output.ts';
import { readableUnder } from '../filters/secret.ts';
import { formatOf } from '../text/format.ts';
import { findInputs } from '../text/input.ts';
import { addLines } from './fill.ts';

export const addCommand = command({
  name: 'add',
  summary: 'add the lines of files to a saved filter',
  description: 'Adds each line of the files to a saved filter, and saves it again: completely, or not at all.',
  operands: [{ name: 'filter', description: 'a filter file, made by bloomery build' }, filesOperand],
  options: { 'secret-file': secretFileOption, ...textOptions },
  examples: ['bloomery add seen.bloom today.txt', 'grep FAIL log | cut -f1 | bloomery add blocked.bloom'],
  async action([name = '', ...names], { 'secret-file': secretFile, ...values }) {
    if (name === '-') throw new CommandError('the filter must be a file, because it is read and written');
    const format = formatOf(values);
    const inputs = await findInputs(names);
    await requireOther(name, inputs.names);
    const { filter, isZipped } = await loadGrowing(name, await readableUnder(secretFile, name));
    const writeFilter = await filterWriter(name, isZipped);
    await addLines(filter, inputs, format, name);
    await writeFilter(filter);
    reportSaved(filter, name);
  },
});
