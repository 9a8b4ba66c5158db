export { chooseEngine } from '../../auto/js.ts';
