// `bloomery/fuse` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import fuse from '../fuse.wasm';
import { useKernel } from '../kernel/wasm.ts';
import kernel from '../kernel.wasm';
import { useFuseKernel } from './fuse.ts';

useKernel(kernel);
useFuseKernel(fuse);

export * from './fuse.ts';
