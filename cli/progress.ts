import type { LineProgress } from 'bloomery';
import type { Params } from 'cli-progress';
import { byteSize, duration, integer } from './figures.ts';
import type { Inputs } from './input.ts';

/** A progress line on the terminal. */
export interface Progress {
  readonly onProgress: (progress: LineProgress) => void;
  /** Removes the progress line. */
  stop(): void;
}

const BAR_WIDTH = 24;

function draw(inputs: Inputs, { progress, startTime }: Params, lines: number): string {
  const seconds = (Date.now() - startTime) / 1000;
  const speed = `${integer(seconds > 0 ? lines / seconds : 0)} lines/s`;
  if (inputs.size === undefined) return `${byteSize(inputs.bytesRead)}  ${speed}`;
  const done = Math.round(BAR_WIDTH * progress);
  const bar = '█'.repeat(done) + '░'.repeat(BAR_WIDTH - done);
  const bytes = `${byteSize(inputs.bytesRead)} of ${byteSize(inputs.size)}`;
  const left = progress > 0 ? `  ${duration((seconds * (1 - progress)) / progress)} left` : '';
  return `${bar} ${Math.floor(100 * progress)} %  ${bytes}  ${speed}${left}`;
}

/** Shows progress, unless stderr is not a terminal, or lines are printed to the terminal too. */
export async function showProgress(inputs: Inputs, writesLines: boolean): Promise<Progress | undefined> {
  if (!process.stderr.isTTY || (writesLines && process.stdout.isTTY)) return undefined;
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: (_options, params, { lines }) => draw(inputs, params, lines),
    stream: process.stderr,
    clearOnComplete: true,
    // Keep line wrapping on: a signal would leave the terminal with it off.
    linewrap: true,
  });
  bar.start(inputs.size ?? 0, 0, { lines: 0 });
  return {
    onProgress: ({ lines }) => bar.update(inputs.bytesRead, { lines }),
    stop: () => bar.stop(),
  };
}
