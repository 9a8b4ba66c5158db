import { hashing } from './hashing.ts';
import { kinds } from './kinds.ts';
import type { Patches } from './patch.ts';
import { systems } from './systems.ts';

export const patches: Patches = { ...hashing, ...kinds, ...systems };
