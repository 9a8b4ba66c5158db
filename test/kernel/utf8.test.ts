import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encoder, textEncoder } from '../../src/kernel/runtime-native.ts';

const reference = new TextEncoder();
/** Strings of all planes, ill-formed ones among them. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
);

describe('the encoder for React Native', () => {
  it('encodes every string as a TextEncoder does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(textEncoder.encode(text)).toEqual(reference.encode(text));
      }),
      { seed: 34, numRuns: 2000 },
    );
    expect(textEncoder.encode()).toEqual(new Uint8Array(0));
  });

  it('stops before a character for which there is no room', () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, room) => {
        const [got, wanted] = [new Uint8Array(room).fill(7), new Uint8Array(room).fill(7)];
        expect(textEncoder.encodeInto(text, got)).toEqual(reference.encodeInto(text, wanted));
        expect(got).toEqual(wanted);
      }),
      { seed: 34, numRuns: 2000 },
    );
  });

  it('is the one of the runtime where there is one', () => {
    expect(encoder).toBeInstanceOf(TextEncoder);
  });
});
