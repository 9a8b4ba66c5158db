export type { LoadableClass } from '../../filters/load.ts';
export { TombstoneFilter } from '../../kinds/tombstone/js.ts';
