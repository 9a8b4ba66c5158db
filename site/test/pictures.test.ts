import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bitsPicture } from '../tools/bits-picture.ts';
import taken from './pictures.json' with { type: 'json' };
import { pictures } from './pictures.ts';

it('what is known of the pictures is of these files', () => {
  const digests = pictures.map(({ file }) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]);
  expect(Object.entries(taken).map(([file, { sha256 }]) => [file, sha256])).toEqual(digests);
});

it('docs/bits-per-key.svg is what the calculator draws, or must be drawn again by npm run plot', () =>
  expect(readFileSync('docs/bits-per-key.svg', 'utf8')).toBe(bitsPicture()));
