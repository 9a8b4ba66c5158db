// A slice of `npm run fuzz` with a fixed seed, so that it is the same every time.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readers } from './readers.ts';
import { fuzz } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'bloomery-fuzz-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** These take any input. */
const TAKE_ALL = ['slots of a cluster', 'lines of a text', 'texts of several files'];

it.each(readers)('$name: damaged input is refused, or read as what it says', async (reader) => {
  const count = Math.max(200, reader.share / 10);
  const { read, refused } = await fuzz(reader, { count, seed: 1, folder });
  expect(read + refused).toBe(count);
  // Cases are useful only if some of them get past the checks.
  expect(read / count).toBeGreaterThan(0.02);
  if (TAKE_ALL.includes(reader.name)) expect(refused).toBe(0);
  else expect(refused / count).toBeGreaterThan(0.05);
});
