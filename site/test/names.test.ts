import { describe, expect, it } from 'vitest';
import { answerBefore, answerTo, objectionTo } from '../src/names/answer.ts';

describe('the answer to a name', () => {
  it('is certain only for a name that the filter does not have', () => {
    const [free, taken] = ['on 2026-01-02', 'Of 100 free names'].map((text) => expect.stringContaining(text));
    const absent = answerTo('some-name', () => false, 0.01, '2026-01-02');
    expect(absent).toMatchObject({ verdict: 'Certainly not taken', explanation: free, isTaken: false });
    const present = answerTo('some-name', () => true, 0.01, '');
    expect(present).toMatchObject({ verdict: 'Probably taken', explanation: taken, isTaken: true });
  });

  it.each([
    [/upper-case/, ['JSONStream']],
    [/begin with a dot/, ['.hidden']],
    [/letters, digits/, ['two words', 'a/b']],
    [/no package of this name/, ['node_modules', 'Favicon.ico']],
  ])('says what npm would not take: %s', (reason, names) => {
    for (const name of names) expect(objectionTo(name)).toMatch(reason);
    for (const name of ['react', '@types/node', 'lodash.merge']) expect(objectionTo(name)).toBeUndefined();
  });

  it('names the one in lower case, if that may be taken', () => {
    const has = (name: string): boolean => name === 'react';
    expect(answerTo('React', has, 0.01, '').explanation).toMatch(/upper-case letters\. “react” is probably taken\.$/);
    expect(answerTo('Preact', has, 0.01, '').explanation).toMatch(/upper-case letters\.$/);
  });

  it('says what npm would not take before the filter is there, and claims nothing else', () => {
    const said = { isTaken: false, explanation: expect.stringMatching(/letters, digits/) };
    expect(answerBefore('two words')).toMatchObject(said);
    expect(answerBefore('react').verdict).toBe('…');
  });
});
