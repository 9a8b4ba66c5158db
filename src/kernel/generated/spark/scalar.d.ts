import type { ScalarImports } from '../../engine-js.js';
import type { SparkExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): SparkExports;
