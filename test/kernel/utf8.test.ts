import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { encoder, utf8Of } from '../../src/kernel/utf8.ts';

afterEach(() => vi.unstubAllGlobals().resetModules());

/** Strings of all planes, ill-formed ones among them. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
);

it('encodes every string where there is no TextEncoder as where there is one', async () => {
  const reference = new TextEncoder();
  vi.stubGlobal('TextEncoder', undefined);
  vi.resetModules();
  const without = await import('../../src/kernel/utf8.ts');
  expect(without.encoder).not.toBeInstanceOf(reference.constructor);
  const property = fc.property(texts, fc.nat(20), (text, start) => {
    const wanted = reference.encode(text);
    expect(without.utf8Of(text)).toEqual(wanted);
    // The memory around has other data. One byte behind may be written.
    const bytes = new Uint8Array(start + 3 * text.length + 1).fill(7);
    expect(without.encoder.encodeInto(text, bytes.subarray(start)).written).toBe(wanted.length);
    const before = new Uint8Array(start).fill(7);
    expect(bytes.subarray(0, start + wanted.length)).toEqual(Uint8Array.of(...before, ...wanted));
  });
  fc.assert(property, { seed: 34, numRuns: 2000 });
});

it('takes the TextEncoder of the runtime where there is one', () => {
  expect(encoder).toBeInstanceOf(TextEncoder);
  expect(utf8Of('a\u{1f600}\ud800')).toEqual(new TextEncoder().encode('a\u{1f600}\ud800'));
});

it.each([
  ['Mozilla/5.0 (X11)', 160],
  ['Node.js/24', 48],
  ['Another/1.0 (like Mozilla/5.0)', 48],
  [undefined, 48],
])('strings are read unit by unit up to a length that depends on the runtime: %s', async (userAgent, units) => {
  vi.resetModules();
  vi.stubGlobal('navigator', userAgent && { userAgent });
  const { unitByUnit } = await import('../../src/kernel/runtime.ts');
  expect(unitByUnit(48)).toBe(units);
});
