export type { GuardFilter } from '../guard/filter.ts';
export type { Growth } from '../guard/growth.ts';
export { type Guard, guard } from '../guard/guard.ts';
export { FilterHandover, type HandoverOptions, type Successor } from '../guard/handover.ts';
export type { GetOptions, GuardOptions, GuardStats, Load, LoadOptions } from '../guard/options.ts';
export type { MeasuredRate } from '../guard/rate.ts';
