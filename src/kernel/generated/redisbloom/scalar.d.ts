import type { ScalarImports } from '../../engine-js.js';
import type { RedisbloomExports } from './exports.js';

/** The module as plain JavaScript. */
export function instantiate(imports: ScalarImports): RedisbloomExports;
