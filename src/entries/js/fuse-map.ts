export type { FuseMapOptions } from '../../kinds/fuse-map/filter.ts';
export { FuseMap } from '../../kinds/fuse-map/js.ts';
export type { MapValues } from '../../kinds/fuse-map/values.ts';
