export { generateSecret, keyed, keyedHashKeys } from '../../keyed/js.ts';
