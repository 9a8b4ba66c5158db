/** Formats an integer: `1,234,567`. Intl.NumberFormat would do it too, for 7 MB of memory. */
export function integer(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun: `1 key`, `2,000 keys`. */
export function plural(count: number, noun: string): string {
  return `${integer(count)} ${noun}${Math.round(count) === 1 ? '' : 's'}`;
}

/** Allows for rounding to three digits: 999.5 is written as 1000. */
const ROUNDED = 1000 / 999.5;

/** Formats a size with three digits, in powers of 1000: `12.3 MB`. */
export function byteSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes * ROUNDED) / 3));
  const value = bytes / 1000 ** step;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(value * ROUNDED)));
  return `${step === 0 ? value : value.toFixed(decimals)} ${units[step]}`;
}

/** Formats a size with three digits, and exactly: `12.3 MB (12,345,678 bytes)`. */
export function exactSize(bytes: number): string {
  return bytes < 1000 ? byteSize(bytes) : `${byteSize(bytes)} (${integer(bytes)} bytes)`;
}

/** Formats a rate, 0 … 1, with three digits: `0.01`, `1.23e-7`. */
export function rate(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Formats a duration: `5 s`, `2 min 5 s`, `1 h 2 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats rows of cells as columns: the first one left-aligned, the others right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const pad = (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => `${row.map(pad).join('  ')}\n`).join('');
}
