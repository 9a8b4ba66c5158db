export { KeyRecords, records } from '../keys/records.ts';
