// `bloomery/scalable` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import { useKernel } from '../kernel/wasm.ts';
import kernel from '../kernel.wasm';

useKernel(kernel);

export * from './scalable.ts';
