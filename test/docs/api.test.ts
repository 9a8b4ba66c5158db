import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { importName } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';

const index = readFileSync('docs/api.md', 'utf8');
const sections = new Map(index.split('\n## ').map((section) => [/^`(.*)`/.exec(section)?.[1] ?? '', section]));

it.each([...modules.keys()].map(importName))('docs/api.md has all that can be imported: %s', async (entry) => {
  const exported: object = await import(entry);
  const section = sections.get(entry.replace(/\/js$/, '')) ?? '';
  // Names at the beginning of a row, with or without parentheses.
  const listed = new Set([...section.matchAll(/^- `(\w+)/gm)].map(([, listed]) => listed));
  expect(Object.keys(exported).filter((each) => !listed.has(each))).toEqual([]);
});

it.each(['add()', 'pick()', 'toBytes()', 'remove()', 'static fromChunks()', 'signal'])(
  'docs/api.md says in a sentence what a member is: %s',
  (member) => expect(index).toMatch(new RegExp(`^ *- \`${member.replaceAll(/[()]/g, '\\$&')}\`: [A-Z].*\\.$`, 'm')),
);
