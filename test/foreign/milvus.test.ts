// The recipe in docs/interop.md makes the blobs that Milvus's client makes.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Block, slicesOf } from '../docs/snippets/markdown.ts';
import { Project } from '../docs/snippets/project.ts';

interface Vector {
  readonly id: string;
  readonly errorRate: number;
  readonly type: 'string' | 'int64';
  readonly keys?: readonly string[];
  readonly prefix?: string;
  readonly count?: number;
  readonly length: number;
  readonly sha256: string;
}

const path = 'test/vectors/foreign/milvus.json';
const { vectors }: { vectors: readonly Vector[] } = JSON.parse(readFileSync(path, 'utf8'));

/** Prints the length and the digest of each blob, after the recipe. */
const program = `
const { createHash } = await import('node:crypto');
const { readFileSync } = await import('node:fs');
const { vectors } = JSON.parse(readFileSync(${JSON.stringify(`${process.cwd()}/${path}`)}, 'utf8'));
for (const { type, keys, prefix, count, errorRate } of vectors) {
  const texts = keys ?? Array.from({ length: count }, (_, i) => prefix + i);
  const blob = milvusBlob(type === 'int64' ? BigInt64Array.from(texts, BigInt) : texts, errorRate);
  console.log(blob.length + ' ' + createHash('sha256').update(blob).digest('hex'));
}`;

const project = new Project();
afterAll(() => project.remove());

let blobs: readonly string[] = [];
beforeAll(async () => {
  const recipe = slicesOf('docs/interop.md').find(({ code }) => code.includes('function milvusBlob')) as Block;
  const { status, stdout, stderr } = await project.run({ ...recipe, code: `${recipe.code}\n${program}` });
  expect(status, stderr).toBe(0);
  blobs = stdout.trimEnd().split('\n');
}, 60_000);

it.each(vectors.map((vector, i) => ({ i, ...vector })))("has the bytes of Milvus's client: $id", (vector) => {
  expect(blobs[vector.i]).toBe(`${vector.length} ${vector.sha256}`);
});
