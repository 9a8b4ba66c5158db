// What an import asks for: `./names.txt?bloom&errorRate=1e-3&kind=fuse`.

import { requireOptions } from '../../util/checks/options.ts';
import { mustBe, requireOneOf, requireRate } from '../../util/checks/validate.ts';
import { assetKinds, type KindName } from './kinds.ts';

/** The parameter that makes an import one of a filter. */
const MARK = 'bloom';
/** The parameter of the module with the bytes of an inlined filter, which only the plugin itself imports. */
const BYTES = 'bytes';

/** An import in two parts. */
export interface Split {
  readonly path: string;
  readonly query: string;
}

/** Splits the name of a module if it is that of a filter. */
export function splitAsset(id: string): Split | undefined {
  const at = id.indexOf('?');
  if (at < 0) return undefined;
  const query = id.slice(at + 1);
  return new URLSearchParams(query).has(MARK) ? { path: id.slice(0, at), query } : undefined;
}

/** The name of the module with the bytes of an inlined filter, given that of its own module. */
export function bytesIdOf(id: string): string {
  return `${id}&${BYTES}`;
}

/** The filter that an import asks for. */
export interface Wanted {
  readonly kind: KindName;
  /** Undefined for the default of the kind. */
  readonly errorRate: number | undefined;
  readonly engine: 'wasm' | 'js';
  /** Whether the module is the one with the bytes. */
  readonly isBytes: boolean;
}

function rateOf(text: string): number {
  const rate = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(rate)) throw new TypeError(mustBe('errorRate', 'a number such as 1e-3', text));
  return requireRate('errorRate', rate);
}

/**
 * Reads the parameters of an import.
 *
 * @throws TypeError | RangeError that says which of them is wrong, and what it can be
 */
export function readQuery(query: string): Wanted {
  const parameters = new URLSearchParams(query);
  const isBytes = parameters.has(BYTES);
  parameters.delete(BYTES);
  const given = Object.fromEntries(parameters);
  requireOptions(given, '{ kind: "fuse" }', [MARK, 'kind', 'errorRate', 'engine']);
  for (const name of Object.keys(given)) {
    if (parameters.getAll(name).length > 1) throw new TypeError(`${name} is given more than once`);
  }
  // The smallest kind is the default, because the list is complete.
  const { kind = 'fuse', errorRate, engine = 'wasm' } = given;
  return {
    kind: requireOneOf('kind', kind, Object.keys(assetKinds) as KindName[]),
    errorRate: errorRate === undefined ? undefined : rateOf(errorRate),
    engine: requireOneOf('engine', engine, ['wasm', 'js']),
    isBytes,
  };
}
