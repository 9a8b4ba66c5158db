import assert from 'node:assert';
import { test } from 'node:test';
import { createElement, StrictMode, useMemo, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { act, create } from 'react-test-renderer';
import { filters } from './filters.js';

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

for (const [name, make] of filters) {
  test(`a filter may be state, memo and property, and is rendered on a server: ${name}`, () => {
    const Answer = ({ filter }) => String(filter.has('ada'));
    const App = () => {
      const [filter] = useState(make);
      const copy = useMemo(() => filter.clone(), [filter]);
      return createElement('p', null, createElement(Answer, { filter: copy }));
    };
    assert.equal(renderToString(createElement(StrictMode, null, createElement(App))), '<p>true</p>');
  });
}

test('a filter that was changed shows when a version beside it changes, not by setting it again', async () => {
  const [[, make]] = filters;
  let set;
  let setVersion;
  let filter;
  const App = () => {
    [filter, set] = useState(make);
    const [version, change] = useState(0);
    setVersion = change;
    return `${version}: ${filter.has('bob')}`;
  };
  let root;
  await act(() => {
    root = create(createElement(App));
  });
  assert.equal(root.toJSON(), '0: false');
  filter.add('bob');
  await act(() => set(filter));
  assert.equal(root.toJSON(), '0: false');
  await act(() => setVersion((version) => version + 1));
  assert.equal(root.toJSON(), '1: true');
  await act(() => root.unmount());
});
