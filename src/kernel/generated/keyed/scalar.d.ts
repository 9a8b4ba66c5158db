import type { ScalarImports } from '../../engine-js.js';
import type { KeyedExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): KeyedExports;
