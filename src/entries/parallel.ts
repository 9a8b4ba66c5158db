export {
  buildParallel,
  type ParallelClass,
  type ParallelFilter,
  type ParallelOptions,
  type ParallelProgress,
} from '../node/parallel/build-parallel.ts';
