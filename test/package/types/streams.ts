// Must compile in a project for Node: with the types of each version of Node, and with or without those of browsers.

import { Blob as NodeBlob, File as NodeFile } from 'node:buffer';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { pipeline as callbackPipeline } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addLines, BloomFilter, type ByteSource, dedupeLines, fileStream, omitLines, pickLines } from 'bloomery';
import { loadAny } from 'bloomery/load';

const filter = new BloomFilter({ capacity: 10 });
const source = createReadStream('a.txt');
const target = createWriteStream('b.txt');

export const lines: number = (await addLines(filter, source)).lines;
await pipeline(source, omitLines(filter), dedupeLines(filter, { crlf: false }), target);
await pipeline(source, dedupeLines(filter), target, { signal: AbortSignal.timeout(1) });
callbackPipeline(source, pickLines(filter), target, (error) => console.error(error));

const { body } = await fetch('https://example.org/a.txt');
export const unique: ReadableStream<Uint8Array<ArrayBuffer>> | undefined = body?.pipeThrough(dedupeLines(filter));

// Files and responses.
const file = await openAsBlob('a.txt');
await addLines(filter, await fetch('https://example.org/a.txt'), { crlf: false });
const sources: ByteSource[] = [
  file,
  new NodeBlob(['a']),
  new NodeFile(['a'], 'a.txt'),
  new Blob(['a']),
  new Response('a'),
  source,
  fileStream(file),
];
export const found: ReadableStream<Uint8Array<ArrayBuffer>> = fileStream(file).pipeThrough(pickLines(filter));
export const loaded: BloomFilter[] = await Promise.all([
  loadAny([BloomFilter], file),
  ...sources.map((each) => BloomFilter.fromChunks(each)),
]);
