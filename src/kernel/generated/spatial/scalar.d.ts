import type { ScalarImports } from '../../engine-js.js';
import type { SpatialExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): SpatialExports;
