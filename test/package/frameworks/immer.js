import assert from 'node:assert';
import { test } from 'node:test';
import { produce } from 'immer';
import { filters } from './filters.js';

for (const [name, make] of filters) {
  test(`a draft holds the filter itself, and the result does not freeze it: ${name}`, () => {
    const state = { filter: make(), version: 0 };
    const next = produce(state, (draft) => {
      assert.equal(draft.filter, state.filter);
      draft.version++;
    });
    assert.equal(next.version, 1);
    assert.equal(next.filter, state.filter);
    if ('labelOf' in next.filter) assert.equal(next.filter.add('bob', 1), 0);
    else if ('add' in next.filter) assert(next.filter.add('bob'));
  });
}
