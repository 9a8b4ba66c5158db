import assert from 'node:assert';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { compileModule } from 'svelte/compiler';
import { filters } from './filters.js';

const source = readFileSync(new URL('store.svelte.js', import.meta.url), 'utf8');
const { js } = compileModule(source, { generate: 'client', filename: 'store.svelte.js' });
// Inside node_modules, from where the packages are found.
const folder = new URL('node_modules/.compiled/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('store.js', folder), js.code);
const { makeStore } = await import(new URL('store.js', folder));

test('$state and $state.raw leave a filter as it is, and $state.snapshot refuses it', () => {
  for (const filter of filters) {
    const { held, snapshot } = makeStore(filter);
    for (const value of held()) assert.equal(value, filter);
    assert.throws(snapshot, /^TypeError: a filter has no JSON form/);
  }
});
