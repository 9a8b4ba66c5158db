export { FuseLookup } from '../lookup/fuse-lookup.ts';
export { FuseMapLookup } from '../lookup/fuse-map-lookup.ts';
