import assert from 'node:assert';
import { test } from 'node:test';
import { computed, effect, isProxy, reactive, readonly, ref, shallowRef, triggerRef } from '@vue/reactivity';
import { filters, makeFilter } from './filters.js';

test('ref, reactive and readonly leave a filter as it is', () => {
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

test('a filter that was changed shows after triggerRef, or when a version beside it changes', () => {
  for (const make of [ref, shallowRef]) {
    const filter = make(makeFilter());
    const seen = [];
    const found = computed(() => filter.value.has('bob'));
    effect(() => seen.push(found.value));
    filter.value.add('bob');
    assert.deepEqual(seen, [false]);
    triggerRef(filter);
    assert.deepEqual(seen, [false, true]);
  }
  const state = reactive({ filter: makeFilter(), version: 0 });
  const seen = [];
  effect(() => seen.push([state.version, state.filter.has('bob')]));
  state.filter.add('bob');
  assert.deepEqual(seen, [[0, false]]);
  state.version++;
  assert.deepEqual(seen.at(-1), [1, true]);
});
