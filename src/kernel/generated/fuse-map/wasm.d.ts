import type { EmbeddedCode } from '../../embedded-module.js';

/** The module, compiled with SIMD. */
export const code: EmbeddedCode;
