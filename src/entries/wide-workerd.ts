// `bloomery/wide` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import { useKernel } from '../kernel/wasm.ts';
import kernel from '../kernel.wasm';
import wide from '../wide.wasm';
import { useWideKernel } from './wide.ts';

useKernel(kernel);
useWideKernel(wide);

export * from './wide.ts';
