import assert from 'node:assert';
import { test } from 'node:test';
import { computed, effect, isProxy, reactive, readonly, ref, shallowRef, triggerRef } from '@vue/reactivity';
import { filters } from './filters.js';

for (const [name, make] of filters) {
  test(`ref, reactive and readonly leave a filter as it is: ${name}`, () => {
    const filter = make();
    const map = reactive(new Map([['filter', filter]]));
    const held = [ref(filter).value, shallowRef(filter).value, reactive({ filter }).filter, reactive([filter])[0]];
    for (const value of [
      ...held,
      readonly({ filter }).filter,
      map.get('filter'),
      ref({ deep: { filter } }).value.deep.filter,
    ]) {
      assert.equal(value, filter);
      assert(!isProxy(value));
      assert(value.has('ada'));
    }
    assert.deepEqual(reactive({ filter }).filter.pick(['ada', 'bob']), ['ada']);
  });
}

for (const make of [ref, shallowRef]) {
  test(`a filter that was changed shows after triggerRef: ${make.name}`, () => {
    const [[, makeFilter]] = filters;
    const filter = make(makeFilter());
    const seen = [];
    const found = computed(() => filter.value.has('bob'));
    effect(() => seen.push(found.value));
    filter.value.add('bob');
    assert.deepEqual(seen, [false]);
    triggerRef(filter);
    assert.deepEqual(seen, [false, true]);
  });
}

test('a filter that was changed shows when a version beside it changes', () => {
  const [[, make]] = filters;
  const state = reactive({ filter: make(), version: 0 });
  const seen = [];
  effect(() => seen.push([state.version, state.filter.has('bob')]));
  state.filter.add('bob');
  assert.deepEqual(seen, [[0, false]]);
  state.version++;
  assert.deepEqual(seen.at(-1), [1, true]);
});
