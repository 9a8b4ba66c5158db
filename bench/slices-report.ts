import { type Align, nanoseconds, tableOf, times } from './report.ts';
import { type Contender, operations, type Times } from './slices.ts';
import { median } from './statistics.ts';

/** The number below which a share of the numbers lies. */
function quantile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(share * numbers.length)] ?? Number.NaN;
}

/** Explains the columns of the table. */
export const legend: string =
  'Median, and from the first to the third quartile of all turns. × bloomfilter: the time as a multiple of that of ' +
  'the package, within a turn; below 1 is faster. 5 %: the time that a twentieth of the turns stay below.';

/** A row for each operation and contender, of which the one at `baseline` is compared with. */
export function slicesTable(contenders: readonly Pick<Contender, 'name'>[], baseline: number, measured: Times): string {
  const rows = operations.flatMap((operation) =>
    contenders.map(({ name }, index) => {
      const own = measured[operation][index] ?? [];
      const other = measured[operation][baseline] ?? [];
      const ratios = own.map((time, turn) => time / (other[turn] ?? Number.NaN));
      return [
        operation,
        name,
        nanoseconds(median(own)),
        `${nanoseconds(quantile(own, 0.25))}–${nanoseconds(quantile(own, 0.75))}`,
        times(median(ratios)),
        `${times(quantile(ratios, 0.25))}–${times(quantile(ratios, 0.75))}`,
        nanoseconds(quantile(own, 0.05)),
        times(quantile(own, 0.05) / quantile(other, 0.05)),
      ];
    }),
  );
  const header = [
    'operation',
    'filter',
    'ns per key',
    'spread',
    '× bloomfilter',
    'spread',
    '5 %',
    '× bloomfilter, 5 %',
  ];
  return tableOf(header, rows, ['left', 'left', ...Array<Align>(6).fill('right')]);
}
