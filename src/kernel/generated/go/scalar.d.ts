import type { ScalarImports } from '../../engine-js.js';
import type { GoExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): GoExports;
