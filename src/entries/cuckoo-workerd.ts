// `bloomery/cuckoo` on Cloudflare Workers, which refuse to compile WebAssembly but can import it.

import cuckoo from '../cuckoo.wasm';
import { useKernel } from '../kernel/wasm.ts';
import kernel from '../kernel.wasm';
import { useCuckooKernel } from './cuckoo.ts';

useKernel(kernel);
useCuckooKernel(cuckoo);

export * from './cuckoo.ts';
