import type { ScalarImports } from '../../engine-js.js';
import type { StableExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): StableExports;
