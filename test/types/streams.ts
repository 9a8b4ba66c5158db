// Must compile in a project for Node: with the types of each version of Node, and with or without those of browsers.

import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline as callbackPipeline } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addLines, BloomFilter, dedupeLines, omitLines, pickLines } from 'bloomery';

const filter = new BloomFilter({ capacity: 10 });
const source = createReadStream('a.txt');
const target = createWriteStream('b.txt');

export const lines: number = (await addLines(filter, source)).lines;
await pipeline(source, omitLines(filter), target);
await pipeline(source, omitLines(filter), dedupeLines(filter, { crlf: false }), target);
await pipeline(source, dedupeLines(filter), target, { signal: AbortSignal.timeout(1) });
callbackPipeline(source, pickLines(filter), target, (error) => console.error(error));

const { body } = await fetch('https://example.org/a.txt');
export const unique: ReadableStream<Uint8Array<ArrayBuffer>> | undefined = body?.pipeThrough(dedupeLines(filter));
export const stream: TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> = omitLines(filter);
if (unique) await addLines(filter, unique);
