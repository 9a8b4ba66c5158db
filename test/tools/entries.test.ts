// The tables of kinds and entries agree with the code.

import { expect, it } from 'vitest';
import { kindError } from '../../src/format/header.ts';
import { abouts, filterEntries, kinds, otherEntries } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';
import { everyKind } from '../shared/kinds.ts';
import { importEntry, kindModules } from '../shared/modules.ts';

it.each(kindModules)('has the kind and the number of $name on $engine', ({ module, className, name, engine, id }) => {
  const Filter = module[className] as { readonly kind: string; readonly engine: { readonly name: string } };
  expect([Filter.kind, Filter.engine.name]).toEqual([name, engine]);
  const found = everyKind.find((each) => each.kind === name && each.engine.name === engine);
  expect(found?.Filter.from(['a']).toBytes()[5]).toBe(id);
});

it('has the names by which errors call the kinds of files, each once', () => {
  const ids = Array.from({ length: 256 }, (_, id) => id);
  const named = ids.map((id) => /it is a ([\w-]+) filter/.exec(kindError(id, '').message)?.[1]);
  expect(named).toEqual(ids.map((id) => kinds.find((kind) => kind.id === id)?.name));
  for (const key of ['name', 'className', 'id'] as const) {
    expect(new Set(kinds.map((kind) => kind[key])).size).toBe(kinds.length);
  }
});

it('says of each entry what it is for, and lists modules that exist', async () => {
  expect([...abouts.keys()]).toEqual([...modules.keys()].filter((name) => !/(^|\/)js$/.test(name)));
  expect([...abouts.values()].filter((about) => !/^[A-Z].{10,}\.$/.test(about))).toEqual([]);
  for (const entry of modules.keys()) expect(Object.keys(await importEntry(entry))).not.toEqual([]);
  const twins = otherEntries.filter(({ hasTwin }) => hasTwin);
  expect(modules.size).toBe(2 + 2 * filterEntries.length + otherEntries.length + twins.length);
});
