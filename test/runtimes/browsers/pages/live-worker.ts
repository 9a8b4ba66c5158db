import { expectKeys, makeFilters } from './live-filters.ts';
import { answer } from './runner.ts';

answer(({ mib, count }: { mib: number; count: number }) => expectKeys(makeFilters(mib, count)));
