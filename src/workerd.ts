// `bloomery` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import { useKernel } from './index.ts';
import kernel from './kernel.wasm';

useKernel(kernel);

export * from './index.ts';
