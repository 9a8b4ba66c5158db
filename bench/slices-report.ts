import { nanoseconds, tableOf, times } from './report.ts';
import { type Contender, operations, type Times } from './slices.ts';
import { ratioOf, spreadOf } from './statistics.ts';

/** A time that few others undercut: with other work on the machine, close to that without. */
function least(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 20)] ?? Number.NaN;
}

/** Explains the columns of the table. */
export const legend: string =
  '× bloomfilter: the time as a multiple of that of the package; below 1 is faster. The median of all turns, and the ' +
  '20th of the turns that took the least.';

/** A row for each operation and contender, of which the one at `baseline` is compared with. */
export function slicesTable(contenders: readonly Pick<Contender, 'name'>[], baseline: number, measured: Times): string {
  const rows = operations.flatMap((operation) =>
    contenders.map(({ name }, index) => {
      const own = measured[operation][index] ?? [];
      const other = measured[operation][baseline] ?? [];
      return [
        operation,
        name,
        nanoseconds(spreadOf(own).median),
        times(ratioOf(other, own).median),
        nanoseconds(least(own)),
        times(least(own) / least(other)),
      ];
    }),
  );
  const header = ['operation', 'filter', 'ns per key', '× bloomfilter', 'least ns', '× bloomfilter'];
  return tableOf(header, rows, ['left', 'left', 'right', 'right', 'right', 'right']);
}
