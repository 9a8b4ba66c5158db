// The table of kinds and entries agrees with the code.

import { describe, expect, it } from 'vitest';
import { kindError } from '../../src/format/header.ts';
import { abouts, filterEntries, kinds, mainKinds, otherEntries } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';
import { everyKind as kindsOnEngines } from '../shared/kinds.ts';
import { importEntry, kindModules } from '../shared/modules.ts';

interface FilterClass {
  readonly name: string;
  readonly kind: string;
  readonly engine: { readonly name: string };
}

const classes = kindModules.map((kind) => ({ ...kind, Filter: kind.module[kind.className] as FilterClass }));

const isFilter = (value: unknown): boolean => typeof value === 'function' && 'fromBytes' in value;

describe('the table of kinds', () => {
  it.each(classes)('has the class, the kind and the number of $name on $engine', ({ Filter, ...row }) => {
    expect([Filter.name, Filter.kind, Filter.engine.name]).toEqual([row.className, row.name, row.engine]);
    const found = kindsOnEngines.find(({ kind, engine }) => kind === row.name && engine.name === row.engine);
    const filter = found?.Filter.from(['a']);
    expect([filter?.kind, filter?.toBytes()[5]]).toEqual([row.name, row.id]);
  });

  it.each(classes)('has all that an entry exports: $name on $engine', ({ module, sizing, isMain, refusesKeys }) => {
    const named = isMain ? mainKinds : kinds.filter(({ className }) => className in module);
    const filters = Object.keys(module).filter((name) => isFilter(module[name]));
    expect(filters.sort()).toEqual(named.map(({ className }) => className).sort());
    expect(sizing.filter((name) => typeof module[name] !== 'function')).toEqual([]);
    const useKernel = /^use\w+Kernel$/;
    const functions = Object.keys(module).filter((name) => !filters.includes(name) && !useKernel.test(name));
    const errors = refusesKeys ? ['FilterFullError'] : [];
    if (!isMain) expect(functions.sort()).toEqual([...sizing, ...errors].sort());
  });

  it('has the names by which errors call the kinds of files', () => {
    const named = Array.from(
      { length: 256 },
      (_, id) => /it is a ([\w-]+) filter/.exec(kindError(id, '').message)?.[1],
    );
    const expected = Array.from({ length: 256 }, (_, id) => kinds.find((kind) => kind.id === id)?.name);
    expect(named).toEqual(expected);
  });

  it('has no name, class or number twice', () => {
    for (const key of ['name', 'className', 'id'] as const) {
      expect(new Set(kinds.map((kind) => kind[key])).size).toBe(kinds.length);
    }
  });
});

describe('the table of entries', () => {
  it('says of each what it is for', () => {
    const entries = [...modules.keys()].filter((name) => !/(^|\/)js$/.test(name));
    expect([...abouts.keys()]).toEqual(entries);
    expect([...abouts.values()].filter((about) => !/^[A-Z].{10,}\.$/.test(about))).toEqual([]);
  });

  it('lists modules that exist', async () => {
    for (const entry of modules.keys()) expect(Object.keys(await importEntry(entry))).not.toEqual([]);
    const twins = otherEntries.filter(({ hasTwin }) => hasTwin);
    expect(modules.size).toBe(2 + 2 * filterEntries.length + otherEntries.length + twins.length);
  });
});
