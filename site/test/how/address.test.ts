import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embedCode, fromFragment, toFragment, wholeIn } from '../../src/how/address.ts';
import type { Action } from '../../src/how/small/log.ts';
import { append, fromParameters, MOST_ACTIONS, MOST_NAMES, toParameters } from '../../src/how/small/log.ts';

const key = fc.string({ maxLength: 100, unit: 'grapheme' }).filter((text) => text.length <= 100);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), key }),
  fc.record({ type: fc.constant('remove' as const), key }),
  fc.record({ type: fc.constant('names' as const), count: fc.integer({ min: 1, max: 100 }) }),
);

describe('the address of a step', () => {
  it('keeps any state', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]+$/), pairs, (id, state) => {
        const address = { id, state: new URLSearchParams(state) };
        const url = new URL(`https://example.org/how.html${toFragment(address)}`);
        const read = fromFragment(url.hash);
        expect(url.search).toBe('');
        expect(read.id).toBe(id);
        expect([...read.state]).toEqual([...address.state]);
      }),
    );
  });

  it('takes a number within the limits, and the default for another', () => {
    const read = (n: string): number => wholeIn(new URLSearchParams({ n }), 'n', 1, 10, 7);
    expect(['1', '10'].map(read)).toEqual([1, 10]);
    for (const text of ['', '0', '1.5', '-1', '11', 'NaN', '1e99', '0x', ' ']) expect(read(text)).toBe(7);
    expect(wholeIn(new URLSearchParams(), 'n', 1, 10, 7)).toBe(7);
  });

  it('cannot break out of the code that embeds it', () => {
    const code = embedCode('https://example.org/"><script>#bits?a=1&key=b', 'A "title" & <more>', 700);
    expect(code.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
    expect(code).toContain('src="https://example.org/&quot;&gt;&lt;script&gt;#bits?a=1&amp;key=b"');
    expect(code).toContain('height="700" style="border: 0"');
  });
});

describe('what was done to a filter, in an address', () => {
  it('comes back in its order', () => {
    fc.assert(
      fc.property(key, fc.array(action, { maxLength: MOST_ACTIONS }), (asked, all) => {
        const actions = all.reduce<Action[]>(append, []);
        const parameters = toParameters({ key: asked, actions });
        // What does not fit is left out as a whole.
        if (parameters === undefined) return;
        expect(fromParameters(new URLSearchParams(parameters.toString()))).toEqual({ key: asked, actions });
      }),
    );
  });

  it('is left out when it is too long', () => {
    const actions = Array.from({ length: MOST_ACTIONS + 1 }, (): Action => ({ type: 'remove', key: 'a' }));
    expect(toParameters({ key: '', actions })).toBeUndefined();
    expect(toParameters({ key: '', actions: actions.slice(1) })).toBeDefined();
    const names = (count: number): Action[] => [{ type: 'names', count }];
    expect(toParameters({ key: '', actions: names(MOST_NAMES + 1) })).toBeUndefined();
    expect(toParameters({ key: '', actions: names(MOST_NAMES) })).toBeDefined();
  });

  it('has limits, whoever wrote it', () => {
    const text = `n=${MOST_NAMES + 1}&n=1e9&n=-1&n=&n=0.5&x=1&a9=b&aa=c&a=${'d'.repeat(101)}&a=${'e'.repeat(100)}&r=ok&n=${MOST_NAMES}`;
    expect(fromParameters(new URLSearchParams(text)).actions).toEqual([
      { type: 'add', key: 'e'.repeat(100) },
      { type: 'remove', key: 'ok' },
      { type: 'names', count: MOST_NAMES },
    ]);
    expect(fromParameters(new URLSearchParams('r=a&'.repeat(1000))).actions).toHaveLength(MOST_ACTIONS);
    expect(fromParameters(new URLSearchParams({ key: 'e'.repeat(1000) })).key).toHaveLength(100);
  });
});
