export { by, type ItemOf, KeyItems } from '../keys/items.ts';
