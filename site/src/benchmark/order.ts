// The order in which contenders are shown.

import { median } from '../../../bench/shared/figures.ts';
import { type ContenderName, contenderNames, type Operation, type Result } from './run.ts';

/** The contenders by their time with warm strings, the fastest first. */
export function fastestFirst({ times }: Result, operation: Operation): ContenderName[] {
  const timeOf = (name: ContenderName): number => median(times.warm[operation][contenderNames.indexOf(name)] ?? []);
  return [...contenderNames].sort((one, other) => timeOf(one) - timeOf(other));
}
