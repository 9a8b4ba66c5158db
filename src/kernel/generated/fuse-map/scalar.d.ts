import type { ScalarImports } from '../../engine-js.js';
import type { FuseMapExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): FuseMapExports;
