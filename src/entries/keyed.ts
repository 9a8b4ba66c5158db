export { generateSecret } from '../filters/keyed.ts';
export { useKeyedKernel } from '../kernel/keyed-engine-wasm.ts';
export { keyed, keyedHashKeys } from '../keyed/wasm.ts';
