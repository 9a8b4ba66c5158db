export { chooseEngine } from '../auto/choose-engine.ts';
