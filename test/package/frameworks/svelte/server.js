import assert from 'node:assert';
import { test } from 'node:test';
import { render } from 'svelte/server';
import { compiled } from './compiled.js';

const { default: Answer } = await compiled('Answer.svelte', 'server');

test('a component with a filter in $state is rendered on a server', () => {
  assert.match(render(Answer, { props: { name: 'ada' } }).body, /ada: true/);
  assert.match(render(Answer, { props: { name: 'bob' } }).body, /bob: false/);
});
