import assert from 'node:assert';
import { test } from 'node:test';
import { isProxy, reactive, readonly, ref, shallowRef } from '@vue/reactivity';
import { filters } from './filters.js';

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
