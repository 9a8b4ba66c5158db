import assert from 'node:assert';
import { test } from 'node:test';
import { createElement, StrictMode, useMemo, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { act, create } from 'react-test-renderer';
import { filters, makeFilter } from './filters.js';

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

test('a filter may be state, memo and property, and is rendered on a server', () => {
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

test('a filter that was changed shows when a version beside it changes, not by setting it again', async () => {
  let state;
  const App = () => {
    const [filter, set] = useState(makeFilter);
    const [version, change] = useState(0);
    state = { filter, set, change };
    return `${version}: ${filter.has('bob')}`;
  };
  let root;
  await act(() => {
    root = create(createElement(App));
  });
  state.filter.add('bob');
  await act(() => state.set(state.filter));
  assert.equal(root.toJSON(), '0: false');
  await act(() => state.change(1));
  assert.equal(root.toJSON(), '1: true');
  await act(() => root.unmount());
});
