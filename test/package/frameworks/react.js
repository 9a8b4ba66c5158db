import assert from 'node:assert';
import { test } from 'node:test';
import { createElement, StrictMode, useMemo, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { filters } from './filters.js';

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
