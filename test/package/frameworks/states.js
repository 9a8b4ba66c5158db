// Frameworks hold a filter in their state as it is: of every kind on every engine, each with the key 'ada'.

import assert from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { isProxy, reactive, readonly, ref, shallowRef } from '@vue/reactivity';
import { BloomFilter } from 'bloomery';
import { produce } from 'immer';
import { createElement, StrictMode, useMemo, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { compileModule } from 'svelte/compiler';
import { filterOf } from '../filter-of.js';

// The entries that have kinds, which runners.slow.test.ts knows.
const entries = await Promise.all(process.env.ENTRIES.split(' ').map((entry) => import(entry)));
const classes = entries.flatMap((entry) =>
  Object.values(entry).filter((value) => typeof value === 'function' && 'fromBytes' in value),
);
const filters = classes.map((Filter) => filterOf(Filter, ['ada'], BloomFilter));

test('Vue: ref, reactive and readonly leave a filter as it is', () => {
  for (const filter of filters) {
    const deep = ref({ deep: { filter } }).value.deep.filter;
    const map = reactive(new Map([['filter', filter]])).get('filter');
    const held = [ref(filter).value, shallowRef(filter).value, reactive({ filter }).filter, reactive([filter])[0]];
    for (const value of [...held, readonly({ filter }).filter, map, deep]) {
      assert(value === filter && !isProxy(value) && value.has('ada'));
    }
    assert.deepEqual(reactive({ filter }).filter.pick(['ada', 'bob']), ['ada']);
  }
});

test('React: a filter may be state, memo and property, and is rendered on a server', () => {
  for (const given of filters) {
    const Answer = ({ filter }) => String(filter.has('ada'));
    const App = () => {
      const [filter] = useState(given);
      const copy = useMemo(() => filter.clone(), [filter]);
      return createElement('p', null, createElement(Answer, { filter: copy }));
    };
    assert.equal(renderToString(createElement(StrictMode, null, createElement(App))), '<p>true</p>');
  }
});

test('Immer: a draft holds the filter itself, and the result does not freeze it', () => {
  for (const filter of filters) {
    const next = produce({ filter, version: 0 }, (draft) => {
      assert.equal(draft.filter, filter);
      draft.version++;
    });
    assert.deepEqual([next.version, next.filter === filter], [1, true]);
    if ('labelOf' in filter) assert.equal(filter.add('bob', 1), 0);
    else if ('add' in filter) assert(filter.add('bob'));
  }
});

test('Svelte: $state and $state.raw leave a filter as it is, and $state.snapshot refuses it', async () => {
  const source = `export function makeStore(filter) {
    const raw = $state.raw(filter);
    const direct = $state(filter);
    const state = $state({ filter });
    return { held: () => [raw, direct, state.filter], snapshot: () => $state.snapshot(state) };
  }`;
  // Inside node_modules, from where the packages are found.
  const folder = new URL('node_modules/.compiled/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const { js } = compileModule(source, { generate: 'client', filename: 'store.svelte.js' });
  writeFileSync(new URL('store.js', folder), js.code);
  const { makeStore } = await import(new URL('store.js', folder));
  for (const filter of filters) {
    const { held, snapshot } = makeStore(filter);
    for (const value of held()) assert.equal(value, filter);
    assert.throws(snapshot, /^TypeError: a filter has no JSON form/);
  }
});
