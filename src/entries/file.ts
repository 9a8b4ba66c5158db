export { fileSource, type Savable, saveFile } from '../node/file/file.ts';
export { type RangeSource, SourceError, type SourceErrorCode } from '../open/source.ts';
