export type { FilterView, Viewable } from '../filters/view.ts';
export { type DifferenceView, difference, intersection, union } from '../views/views.ts';
