export type { LoadableClass } from '../filters/load.ts';
export { TombstoneFilter, useTombstoneKernel } from '../kinds/tombstone/wasm.ts';
