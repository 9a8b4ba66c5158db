import { linkedEngine, type ScalarModule } from './engine-js.ts';
import { instantiate } from './generated/keyed/scalar.js';
import { type KeyedEngines, keep } from './keyed-engine.ts';

/** Makes engines that hash keys under a secret. */
export const keyedEngines: KeyedEngines = {
  name: 'js',
  make(secret, { linkedModule }) {
    const modules = linkedModule ? [instantiate, linkedModule as ScalarModule] : [instantiate];
    return linkedEngine(modules, keep(secret));
  },
};
