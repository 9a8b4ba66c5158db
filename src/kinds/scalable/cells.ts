import type { Kind } from '../../filters/kind.ts';
import { type FilterParameters, type Head, requireSaved, requireZeros, type Saved, sum } from '../../format/header.ts';
import { align, type Engine, type Region } from '../../kernel/region.ts';
import { requireInteger, requireRate } from '../../util/checks/validate.ts';
import { Bits } from '../classic/filter.ts';
import { LEAST_ERROR_RATE, MAX_HASHES, sizeFor } from '../classic/sizing.ts';
import { type SubFilter, SubFilterRow } from './sub-filter-row.ts';

/** A sub-filter as a file describes it. */
interface SubFilterRecord {
  readonly parameters: Pick<FilterParameters, 'cellCount' | 'hashes' | 'capacity'>;
  /** The number of keys in the sub-filter. */
  readonly count: number;
}

/** The kind's own parameters. */
export interface Own<S = SubFilterRecord> {
  readonly growth: number;
  readonly tightening: number;
  readonly subFilters: readonly S[];
}

const MAX_SUB_FILTERS = 64;
const MIN_GROWTH = 2;
const MAX_GROWTH = 16;
const TIGHTENING = 0.7;
/** The default capacity if the number of keys is unknown: 15 KB at 1 %, and a billion keys take 17 sub-filters. */
const GUESS = 10_000;
/**
 * A sub-filter for fewer keys takes the bits of a sub-filter for this many. The actual error rate of a very small
 * filter varies by chance, and a sub-filter keeps it forever: a third of the filters whose first sub-filter was for 3
 * keys exceeded the promised rate. With 1000, fewer than one in a million exceeds it by a tenth (defaults, rates of
 * 0.1 % and more).
 */
const LEAST_KEYS = 1000;
/** The offset of the descriptions of sub-filters, and the bytes of each. */
const SUB_FILTERS_AT = 64;
const SUB_FILTER_BYTES = 32;

/** The bytes of the kind's own parameters in a file. */
function ownBytes(segments: number): number {
  return SUB_FILTERS_AT + SUB_FILTER_BYTES * segments;
}

/**
 * The sub-filter at `index`. The first gets the share 1 − r of the error rate, each other r times the rate of the one
 * before.
 */
function subFilterAt(
  index: number,
  { capacity, errorRate }: Pick<FilterParameters, 'capacity' | 'errorRate'>,
  { growth, tightening }: Omit<Own, 'subFilters'>,
): SubFilterRecord {
  let keys = capacity;
  let rate = errorRate * (1 - tightening);
  // In a loop, because `**` may differ between JavaScript engines.
  for (let i = 0; i < index; i++) {
    keys *= growth;
    rate *= tightening;
  }
  const { cellCount, hashes } = sizeFor(Math.max(keys, LEAST_KEYS), rate);
  return { parameters: { cellCount, hashes, capacity: keys }, count: 0 };
}

function lengthOf({ parameters }: SubFilterRecord): number {
  return align(parameters.cellCount / 8);
}

/** The number of cells in a file. Each sub-filter is padded to whole cache lines. */
function cellsIn(subFilters: readonly SubFilterRecord[]): number {
  return 8 * sum(subFilters.map(lengthOf));
}

/** Whether these parameters are valid. If so, no key has a bit after the end of its sub-filter. */
function isValid({ parameters }: Head, { growth, tightening, subFilters }: Own): boolean {
  let keys = parameters.capacity;
  const isNext = ({ parameters: { cellCount, hashes, capacity }, count }: SubFilterRecord, i: number): boolean => {
    const isRight =
      cellCount >= 1 &&
      hashes >= 1 &&
      hashes <= MAX_HASHES &&
      Number.isSafeInteger(capacity) &&
      capacity === keys &&
      count <= capacity &&
      (count === capacity || i === subFilters.length - 1);
    keys *= growth;
    return isRight;
  };
  return (
    growth >= MIN_GROWTH &&
    growth <= MAX_GROWTH &&
    tightening > 0 &&
    tightening < 1 &&
    keys > 0 &&
    subFilters.every(isNext) &&
    parameters.hashes === subFilters[0]?.parameters.hashes &&
    parameters.cellCount === cellsIn(subFilters)
  );
}

export const SCALABLE: Kind<SubFilters> = {
  id: 4,
  name: 'scalable',
  className: 'ScalableBloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: true,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE / (1 - TIGHTENING),
  },
  cellName: 'bits',
  cellBits: [1, 1],
  own: {
    maxSegments: MAX_SUB_FILTERS,
    byteLength: ownBytes,
    write(view, { growth, tightening, subFilters }: Own) {
      view.setUint32(0, growth, true);
      view.setFloat64(8, tightening, true);
      for (const [i, { parameters, count }] of subFilters.entries()) {
        const at = SUB_FILTERS_AT + SUB_FILTER_BYTES * i;
        view.setBigUint64(at, BigInt(parameters.cellCount), true);
        view.setBigUint64(at + 8, BigInt(parameters.capacity), true);
        view.setBigUint64(at + 16, BigInt(count), true);
        view.setUint32(at + 24, parameters.hashes, true);
      }
    },
    read(view, head, segments) {
      requireZeros(view, ownBytes(segments));
      const integer = (at: number): number => Number(view.getBigUint64(at, true));
      const subFilters = Array.from({ length: segments }, (_, i): SubFilterRecord => {
        const at = SUB_FILTERS_AT + SUB_FILTER_BYTES * i;
        const hashes = view.getUint32(at + 24, true);
        requireSaved(view.getUint32(at + 28, true) === 0, `the padding bytes of sub-filter ${i} are not zero`);
        return { parameters: { cellCount: integer(at), hashes, capacity: integer(at + 8) }, count: integer(at + 16) };
      });
      const own: Own = { growth: view.getUint32(0, true), tightening: view.getFloat64(8, true), subFilters };
      const gaps = [view.getUint32(4, true), ...Array.from({ length: 12 }, (_, i) => view.getUint32(16 + 4 * i, true))];
      requireSaved(!gaps.some(Boolean), 'bytes between its parameters are set');
      requireSaved(
        isValid(head, own),
        `its growth is ${own.growth}, its tightening ${own.tightening}, or a sub-filter is wrong`,
      );
      return own;
    },
    segmentLengths: ({ own }: Head<Own>) => own.subFilters.map(lengthOf),
  },
  sizes: [],
  guess: GUESS,
  options: ['growth', 'tightening'],
  shown: ['growth', 'tightening', 'subFilters', 'bits', 'count'],
  sizeFor(capacity, errorRate, { growth: ratio = MIN_GROWTH, tightening: share = TIGHTENING }) {
    const growth = requireInteger('growth', ratio, MIN_GROWTH, MAX_GROWTH);
    const tightening = requireRate('tightening', share);
    requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
    requireRate('errorRate', errorRate);
    const first = subFilterAt(0, { capacity, errorRate }, { growth, tightening });
    const own: Own = { growth, tightening, subFilters: [first] };
    return { cellCount: cellsIn(own.subFilters), hashes: first.parameters.hashes, own };
  },
  cellsOf: (saved: Saved<Own>, engine) => new SubFilters(saved, engine),
};

function subFilterOf(
  region: Region,
  { parameters: { cellCount, hashes, capacity }, count }: SubFilterRecord,
  seed: number,
): SubFilter {
  const parameters = { cellCount, hashes, seed, capacity, errorRate: 0 };
  const cells = new Bits({ segments: [region], parameters, cellBits: 1, own: undefined });
  return { cells, parameters, count };
}

/** Whether no bit after the last cell of a sub-filter is set. */
function endsClean({ cells: { region }, parameters: { cellCount } }: SubFilter): boolean {
  const [last = 0, ...padding] = region.bytes.subarray(Math.floor(cellCount / 8));
  return last >> (cellCount % 8) === 0 && !padding.some(Boolean);
}

/** A row of sub-filters, each larger than the one before. */
export class SubFilters extends SubFilterRow {
  declare readonly own: Own<SubFilter> & { readonly subFilters: SubFilter[] };
  readonly #engine: Engine;

  constructor(saved: Saved<Own>, engine: Engine) {
    const { own, parameters, segments } = saved;
    const { growth, tightening } = own;
    const subFilters = segments.map((region, i) =>
      subFilterOf(region, own.subFilters[i] as SubFilterRecord, parameters.seed),
    );
    requireSaved(subFilters.every(endsClean), 'the padding bits of a sub-filter are not zero');
    super({ ...saved, own: { growth, tightening, subFilters } });
    this.#engine = engine;
  }

  get kind(): Kind {
    return SCALABLE;
  }

  get subFilters(): SubFilter[] {
    return this.own.subFilters;
  }

  protected grow(): void {
    const { subFilters, own, parameters } = this;
    if (subFilters.length === MAX_SUB_FILTERS) throw new RangeError(`it has ${MAX_SUB_FILTERS} sub-filters`);
    const next = subFilterAt(subFilters.length, parameters, own);
    subFilters.push(subFilterOf(this.reserve(this.#engine, lengthOf(next)), next, parameters.seed));
  }

  protected cellCount(): number {
    return cellsIn(this.subFilters);
  }
}
