// Run with `--conditions=browser`, so that Svelte's code is that for browsers.

import assert from 'node:assert';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import { filters, makeFilter } from '../filters.js';
import { compiled } from './compiled.js';

const { makeStore } = await compiled('store.svelte.js', 'client');

test('a component with a filter in $state compiles', async () => {
  const { default: Answer } = await compiled('Answer.svelte', 'client');
  assert.equal(typeof Answer, 'function');
});

test('$state and $state.raw leave a filter as it is, and $state.snapshot refuses it', () => {
  for (const filter of filters) {
    const { held, snapshot, stop } = makeStore(filter);
    for (const value of held()) assert.equal(value, filter);
    assert.throws(snapshot, /^TypeError: a filter has no JSON form/);
    stop();
  }
});

test('a filter that was changed shows when a version beside it changes', () => {
  const { state, seen, stop } = makeStore(makeFilter());
  flushSync();
  state.filter.add('bob');
  flushSync();
  assert.deepEqual(seen, [[0, false]]);
  state.version++;
  flushSync();
  assert.deepEqual(seen.at(-1), [1, true]);
  stop();
});
