import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiIndex } from '../../tools/api/index-page.ts';
import { readApi } from '../../tools/api/read.ts';
import { install } from '../../tools/install.ts';

it('docs/api.md is what npm run api writes', () => {
  install('tools/api');
  expect(readFileSync('docs/api.md', 'utf8')).toBe(apiIndex(readApi()));
});
