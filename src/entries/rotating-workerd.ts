// `bloomery/rotating` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import { useKernel } from '../kernel/wasm.ts';
import kernel from '../kernel.wasm';
import rotating from '../rotating.wasm';
import { useRotatingKernel } from './rotating.ts';

useKernel(kernel);
useRotatingKernel(rotating);

export * from './rotating.ts';
