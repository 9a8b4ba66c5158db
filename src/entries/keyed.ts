export { useKeyedKernel } from '../kernel/keyed-engine-wasm.ts';
export { generateSecret, keyed, keyedHashKeys } from '../keyed/wasm.ts';
