import { describe, expect, it } from 'vitest';
import { byteSize, duration, percent, short } from '../src/format.ts';

describe('figures of the site', () => {
  it.each([
    [0, '0'],
    [1234.5, '1,230'],
    [9.585, '9.59'],
    [1e-6, '0.000001'],
    [1e-9, '10⁻⁹'],
    [1.234e-9, '1.23 × 10⁻⁹'],
  ])('shortens a number: %s', (value, text) => expect(short(value)).toBe(text));

  it.each([
    [0.01, '1 %'],
    [0.00012345, '0.0123 %'],
    [0, '0 %'],
    [1, '100 %'],
  ])('writes a rate in percent: %s', (rate, text) => expect(percent(rate)).toBe(text));

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [999_949, '1 MB'],
    [1_200_000, '1.2 MB'],
    [123_456_789, '123 MB'],
  ])('writes a size: %s', (bytes, text) => expect(byteSize(bytes)).toBe(text));

  it.each([
    [0.123, '0.12 s'],
    [0.996, '1.0 s'],
    [9.96, '10 s'],
    [59.6, '1 min 0 s'],
    [125, '2 min 5 s'],
    [3725, '1 h 2 min'],
  ])('writes a duration: %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});
