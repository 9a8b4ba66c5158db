export { generateSecret } from '../../filters/keyed.ts';
export { keyed, keyedHashKeys } from '../../keyed/js.ts';
