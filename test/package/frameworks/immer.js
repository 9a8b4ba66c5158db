import assert from 'node:assert';
import { test } from 'node:test';
import { produce } from 'immer';
import { filters } from './filters.js';

test('a draft holds the filter itself, and the result does not freeze it', () => {
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
