import type { RangeSource } from '../../open/source.ts';
import { mustBe } from '../../util/checks/validate.ts';
import { findTarget, requirePath, writeTarget } from './replace.ts';
import { openSource } from './source.ts';

/**
 * A filter that `saveFile` can save: of any kind, on either engine. For a filter that threads share, pass a copy:
 * `toFilter()`.
 */
export interface Savable {
  clone(): {
    toChunks(): Iterable<Uint8Array>;
    dispose(): void;
  };
}

function requireFilter(filter: unknown): Savable {
  const methods = filter as Partial<Record<'clone' | 'toChunks' | 'toFilter', unknown>> | null | undefined;
  if (typeof methods?.clone === 'function' && typeof methods.toChunks === 'function') return filter as Savable;
  const isShared = typeof methods?.toFilter === 'function';
  throw new TypeError(mustBe('filter', isShared ? 'a copy that toFilter() made' : 'a filter', filter));
}

/** The last save of each file that is under way. A later one waits for it, so that the newest filter is what stays. */
const underWay = new Map<string, Promise<void>>();

async function saveInTurn(path: string, save: () => Promise<void>): Promise<void> {
  const before = underWay.get(path);
  // The caller of an earlier save learns by itself if that fails.
  const saved = before ? before.then(save, save) : save();
  underWay.set(path, saved);
  try {
    await saved;
  } finally {
    if (underWay.get(path) === saved) underWay.delete(path);
  }
}

/**
 * Saves a filter to a file atomically, in Node, Bun or Deno: the new file is written beside the old one, synced to disk
 * and renamed. `fromBytes` or `fromChunks` of the filter's class loads it.
 *
 * ```ts
 * await saveFile(seen, 'seen.bloom');
 * ```
 *
 * The file holds the filter as it is at the call. Keys may be added meanwhile, because a copy is saved, which takes as
 * much memory as the filter until the promise settles. Within a process, saves to one path are made in the order of the
 * calls, so the last one stays. Copying and hashing a large filter blocks the event loop for some seconds per GiB;
 * writing does not block it.
 *
 * A file that is replaced keeps its permissions, and its owner and group as far as the process may set them. Links are
 * followed. A device or a pipe is written to, not replaced. After an error, the old file is unchanged, and the
 * temporary file is removed; only if syncing the folder fails, the new file is there, and may be lost in a power loss. A
 * process that is killed leaves its temporary file, `.NAME.….tmp`.
 *
 * @param filter a filter of any kind
 * @param path the name of the file, or a `file:` URL. The folder must exist.
 * @throws TypeError if `filter` is not a filter or `path` neither a string nor a `file:` URL; RangeError if `path` is
 *   empty or ends in a slash; FilterMemoryError if there is no memory for the copy; the error of the file system if the
 *   file cannot be written. The promise rejects.
 */
export async function saveFile(filter: Savable, path: string | URL): Promise<void> {
  const name = requirePath('path', path);
  const copy = requireFilter(filter).clone();
  try {
    await saveInTurn(name, async () => writeTarget(await findTarget(name), copy.toChunks()));
  } finally {
    copy.dispose();
  }
}

/**
 * Makes a source of ranges of a file, in Node, Bun or Deno, for `openFilter` of `bloomery/open`, which looks keys up in
 * large filters without loading them.
 *
 * ```ts
 * const seen = await openFilter([BlockedBloomFilter], fileSource('seen.bloom'));
 * await seen.has('ada');
 * await seen.close();
 * ```
 *
 * The file stays open until `close`, or else until the source is garbage-collected, which may be late. If another file
 * takes its name, as with `saveFile`, the old file is still read. If the file itself is written to, reads reject with a
 * SourceError.
 *
 * @param path the name of the file, or a `file:` URL
 * @throws TypeError if `path` is neither a string nor a `file:` URL; RangeError if it does not name a file; the error of
 *   the file system if the file cannot be opened. The promise rejects.
 */
export async function fileSource(path: string | URL): Promise<RangeSource> {
  return openSource(requirePath('path', path));
}
