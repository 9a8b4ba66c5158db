import checks from './checks.cjs';

// The name is computed, because Vitest would take it for a module of the page.
const { it = (await import(['node', 'test'].join(':'))).it } = globalThis;

checks(it, (entry) => import(entry));
