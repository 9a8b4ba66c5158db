import * as wasm from 'bloomery';
import * as js from 'bloomery/js';
import * as wasmWide from 'bloomery/wide';
import * as jsWide from 'bloomery/wide/js';
import type { AnyClass } from '../../kinds.ts';
import type { Check } from './check.ts';

/** A kind of filter on one of the engines. */
export interface KindOnEngine {
  /** `wasm, classic`: checks of an engine begin with its name, by which the results are summed up. */
  readonly name: string;
  readonly engine: 'wasm' | 'js';
  readonly className: string;
  readonly Filter: AnyClass & { prepare(): Promise<void> };
  /** The option for the number of cells, or of blocks of cells. */
  readonly sizeOption: 'bits' | 'counters';
  /** The number of hashes, if the kind allows only one. */
  readonly fixedHashes?: number;
}

function kindsOf(engine: 'wasm' | 'js', api: typeof wasm | typeof js, wide: typeof wasmWide | typeof jsWide) {
  const rows = {
    BloomFilter: { Filter: api.BloomFilter, sizeOption: 'bits' },
    BlockedBloomFilter: { Filter: api.BlockedBloomFilter, sizeOption: 'bits', fixedHashes: 8 },
    CountingBloomFilter: { Filter: api.CountingBloomFilter, sizeOption: 'counters' },
    WideBlockedBloomFilter: { Filter: wide.WideBlockedBloomFilter, sizeOption: 'bits', fixedHashes: 16 },
  } as const;
  return Object.entries(rows).map(([className, { Filter, ...row }]): KindOnEngine => {
    return {
      ...row,
      name: `${engine}, ${Filter.kind}`,
      engine,
      className,
      Filter: Filter as object as KindOnEngine['Filter'],
    };
  });
}

/** Every kind on every engine. */
export const kinds: readonly KindOnEngine[] = [...kindsOf('wasm', wasm, wasmWide), ...kindsOf('js', js, jsWide)];

/** One check for each kind on each engine. */
export function ofEachKind(name: string, run: (kind: KindOnEngine) => unknown): Check[] {
  return kinds.map((kind) => [`${kind.name}: ${name}`, () => run(kind)]);
}
