import { describe, expect, it } from 'vitest';
import { answerBefore, answerTo, objectionTo } from '../src/names/answer.ts';

describe('the answer to a name', () => {
  it('is certain only for a name that the filter does not have', () => {
    expect(answerTo('some-name', () => false, 0.01)).toMatchObject({ verdict: 'Certainly not taken', isTaken: false });
    const taken = answerTo('some-name', () => true, 0.01);
    expect(taken).toMatchObject({ verdict: 'Probably taken', isTaken: true });
    expect(taken.explanation).toContain('Of 100 free names');
  });

  it.each([
    ['react', undefined],
    ['@types/node', undefined],
    ['lodash.merge', undefined],
    ['JSONStream', /upper-case/],
    ['.hidden', /begin with a dot/],
    ['two words', /letters, digits/],
    ['a/b', /letters, digits/],
    ['node_modules', /no package of this name/],
    ['Favicon.ico', /no package of this name/],
  ])('says what npm would not take: %s', (name, reason) => {
    if (reason === undefined) expect(objectionTo(name)).toBeUndefined();
    else expect(objectionTo(name)).toMatch(reason);
  });

  it('names the one in lower case, if that may be taken', () => {
    const has = (name: string): boolean => name === 'react';
    expect(answerTo('React', has, 0.01).explanation).toMatch(/upper-case letters\. “react” is probably taken\.$/);
    expect(answerTo('Preact', has, 0.01).explanation).toMatch(/upper-case letters\.$/);
  });

  it('says what npm would not take before the filter is there, and claims nothing else', () => {
    expect(answerBefore('two words')).toMatchObject({
      isTaken: false,
      explanation: expect.stringMatching(/letters, digits/),
    });
    expect(answerBefore('react').verdict).toBe('…');
  });
});
