// Run with `--conditions=browser`, so that Svelte's code is that for browsers.

import assert from 'node:assert';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import { filters } from '../filters.js';
import { compiled } from './compiled.js';

const { makeStore } = await compiled('store.svelte.js', 'client');
const [[, make]] = filters;

test('a component with a filter in $state compiles', async () => {
  const { default: Answer } = await compiled('Answer.svelte', 'client');
  assert.equal(typeof Answer, 'function');
});

for (const [name, makeOne] of filters) {
  test(`$state and $state.raw leave a filter as it is: ${name}`, () => {
    const filter = makeOne();
    const { held, stop } = makeStore(filter);
    for (const value of held()) assert.equal(value, filter);
    stop();
  });
}

test('a filter that was changed shows when a version beside it changes', () => {
  const { state, seen, stop } = makeStore(make());
  flushSync();
  state.filter.add('bob');
  flushSync();
  assert.deepEqual(seen, [[0, false]]);
  state.version++;
  flushSync();
  assert.deepEqual(seen.at(-1), [1, true]);
  stop();
});

test('$state.snapshot refuses a filter', () => {
  const { snapshot, stop } = makeStore(make());
  assert.throws(snapshot, /^TypeError: a filter has no JSON form/);
  stop();
});
