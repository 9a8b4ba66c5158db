export { type LoadableClass, loadAny } from '../filters/load.ts';
