// How figures are written on all pages.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** `1,234,567` */
export function integer(value: number): string {
  return whole.format(value);
}

/** `1 line`, `2,000 lines` */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${integer(count)} ${Math.round(count) === 1 ? noun : nouns}`;
}

/** `10⁻⁹` */
export function powerOfTen(exponent: number): string {
  return `10${[...String(exponent)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('')}`;
}

/** A number with at most three digits: `12.3`, `0.00123`. Very small ones are powers: `1.23 × 10⁻⁹`. */
export function short(value: number): string {
  return value > 0 && value < 1e-6 ? scientific(value) : threeDigits.format(value);
}

/** `1.23 × 10⁻⁹` */
function scientific(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(2).split('e');
  return `${Number(mantissa) === 1 ? '' : `${Number(mantissa)} × `}${powerOfTen(Number(exponent))}`;
}

/** A rate, 0 … 1, in percent: `1 %`, `0.0123 %`. */
export function percent(rate: number): string {
  return `${short(100 * rate)} %`;
}

/** A rate in percent, or for rare events as a power of ten: `5.8 %`, `2.2 × 10⁻⁸`. */
export function rareRate(rate: number): string {
  return rate >= 1e-5 || rate === 0 ? percent(rate) : scientific(rate);
}

/** A rate as a chance: `1 in 10,000`. */
export function oneIn(rate: number): string {
  return rate > 0 ? `1 in ${integer(Number((1 / rate).toPrecision(3)))}` : 'never';
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** A size in powers of 1000 with three digits: `12.3 MB`. */
export function byteSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  // 999.5 is written as 1000, which is 1 of the next unit.
  const step = bytes < 999.5 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes * (1000 / 999.5)) / 3));
  return `${threeDigits.format(bytes / 1000 ** step)} ${UNITS[step]}`;
}

const BINARY_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** A size in powers of 1024 with three digits: `1.14 MiB`. */
export function binarySize(bytes: number): string {
  if (bytes < 1000) return byteSize(bytes);
  const step = Math.max(1, Math.floor(Math.log2(bytes) / 10));
  return `${threeDigits.format(bytes / 1024 ** step)} ${BINARY_UNITS[step - 1]}`;
}

/** A duration: `0.42 s`, `12 s`, `2 min 5 s`, `1 h 2 min`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(seconds < 0.995 ? 2 : 1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes} min ${rounded % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time that is left, in whole seconds, because it is an estimate. */
export function timeLeft(seconds: number): string {
  return seconds < 60 ? `${Math.max(1, Math.ceil(seconds))} s` : duration(seconds);
}
