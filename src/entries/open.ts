export type { LoadableClass } from '../filters/load.ts';
export { blobSource } from '../open/blob-source.ts';
export { loadShard } from '../open/load-shard.ts';
export {
  type LookupOptions,
  type OpenedFilter,
  type OpenedParameters,
  type OpenOptions,
  openFilter,
} from '../open/open-filter.ts';
export { type RangeSource, SourceError, type SourceErrorCode } from '../open/source.ts';
export { type UrlSourceOptions, urlSource } from '../open/url-source.ts';
export { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
