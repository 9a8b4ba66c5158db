import { describe, expect, it } from 'vitest';
import { answerTo, costOf } from '../src/leaked/wording.ts';

describe('was this password leaked', () => {
  it('says how sure an answer is', () => {
    expect(answerTo(true, 0.001).verdict).toBe('Probably leaked');
    expect(answerTo(true, 0.001).explanation).toContain(
      'Of 1,000 passwords that are not in the list, one looks like this',
    );
    expect(answerTo(false, 0.001)).toMatchObject({ verdict: 'Not in the list' });
  });

  it('says what an answer took', () => {
    expect(costOf(1, 4096, 12.3)).toBe('Answered in 12 ms, with 1 request for 4.1 kB.');
    expect(costOf(2, 4608, 0.4)).toBe('Answered in less than 1 ms, with 2 requests for 4.61 kB.');
    expect(costOf(0, 0, 0.4)).toBe('Answered in less than 1 ms from a part of the file that was read before.');
  });
});
