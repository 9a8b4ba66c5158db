// Jobs of the page that filters a list, run without the page.

import { chooseEngine } from '../src/engine.ts';
import type { Input, Job, Progress } from '../src/filter-list/job.ts';
import { asLines, type Reading } from '../src/filter-list/reading.ts';
import { runJob } from '../src/filter-list/run.ts';

export const engine = await chooseEngine();

export const asText = (text: BlobPart, reading: Partial<Reading> = {}): Input => ({
  file: new Blob([text]),
  reading: { ...asLines, ...reading },
});

/** What jobs have, unless it is said otherwise. */
export const usual = { list: undefined, errorRate: 0, trim: false, ignoreCase: false, destination: undefined };

/** Runs a job, and gives its result with what it has told on its way. */
export async function run(
  given: Pick<Job, 'mode' | 'text'> & Partial<Job>,
  own: Partial<Parameters<typeof runJob>[2]> = {},
) {
  const progress: Progress[] = [];
  const previews: (readonly string[])[] = [];
  const { signal } = new AbortController();
  const onProgress = (each: Progress): void => void progress.push(each);
  const onPreview = (lines: readonly string[]): void => void previews.push(lines);
  const { result } = await runJob(engine, { ...usual, ...given }, { signal, onProgress, onPreview, ...own });
  const bytes = new Uint8Array((await result.blob?.arrayBuffer()) ?? new ArrayBuffer(0));
  return { ...result, bytes, text: await result.blob?.text(), progress, previews };
}
