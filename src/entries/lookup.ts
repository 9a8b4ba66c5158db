export { FuseLookup } from '../lookup/fuse-lookup.ts';
