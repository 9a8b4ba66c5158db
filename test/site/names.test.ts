import { describe, expect, it } from 'vitest';
import { answerTo, objectionTo } from '../../site/src/names/answer.ts';

describe('the answer to a name', () => {
  it('is certain only for a name that the filter does not have', () => {
    expect(answerTo('some-name', false, 0.01)).toMatchObject({ verdict: 'Certainly not taken', isTaken: false });
    const taken = answerTo('some-name', true, 0.01);
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
  ])('says what npm would not take: %s', (name, reason) => {
    if (reason === undefined) expect(objectionTo(name)).toBeUndefined();
    else expect(objectionTo(name)).toMatch(reason);
  });
});
