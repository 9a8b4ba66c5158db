import type { Target } from '../target.ts';
import { installed, processTarget } from './process.ts';

/** The versions of Node, each from npm: the Node of this process may be any. */
export const nodes: readonly Target[] = [20, 22, 24, 26].map((major) =>
  processTarget({
    name: `node${major}`,
    runtime: `Node ${major}`,
    program: 'Node',
    path: installed(`node${major}/bin/node`),
  }),
);
