import { expect, it } from 'vitest';
import { binarySize, byteSize, duration, oneIn, percent, rareRate, short, timeLeft } from '../src/format.ts';

it.each([
  [short, { '0': 0, '1,230': 1234.5, '9.59': 9.585, '0.000001': 1e-6, '10⁻⁹': 1e-9, '1.23 × 10⁻⁹': 1.234e-9 }],
  [percent, { '1 %': 0.01, '0.0123 %': 0.00012345, '0 %': 0, '100 %': 1 }],
  [rareRate, { '0.001 %': 1e-5, '9.9 × 10⁻⁶': 9.9e-6, '0 %': 0 }],
  [oneIn, { '1 in 10,000': 1e-4, '1 in 1,230': 1 / 1234, never: 0 }],
  [byteSize, { '0 bytes': 0, '1 byte': 1, '999 bytes': 999, '1 MB': 999949, '1.2 MB': 1_200_000, '123 MB': 123456789 }],
  [binarySize, { '1 byte': 1, '999 bytes': 999, '0.977 KiB': 1000, '1.14 MiB': 1_198_133, '2 GiB': 2 ** 31 }],
  [duration, { '0.12 s': 0.123, '1.0 s': 0.996, '10 s': 9.96, '1 min 0 s': 59.6, '2 min 5 s': 125, '1 h 2 min': 3725 }],
  [timeLeft, { '1 s': 0, '59 s': 58.1, '1 min 0 s': 60 }],
])('figures of the site are short: %#', (write, figures) => {
  for (const [text, value] of Object.entries(figures)) expect(write(value)).toBe(text);
});
