import { InvalidArgumentError, Option } from 'commander';

const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function readCount(text: string): number {
  const count = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be a whole number of at least 1, such as 1000000 or 1e6.');
}

function readRate(text: string): number {
  const rate = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (rate > 0 && rate < 1) return rate;
  throw new InvalidArgumentError('It must be a number between 0 and 1, such as 0.01 or 1e-6.');
}

export function capacityOption(description: string): Option {
  return new Option('-n, --capacity <keys>', description).argParser(readCount);
}

export function errorRateOption(description: string, fallback: number): Option {
  return new Option('-p, --error-rate <rate>', description).argParser(readRate).default(fallback);
}

export function crlfOption(): Option {
  return new Option('--no-crlf', 'treat a carriage return before a newline as part of the line');
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON').default(false);
}

export function outputOption(): Option {
  return new Option('-o, --output <file>', 'where to save the filter; - is stdout').makeOptionMandatory();
}

/** Examples for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
