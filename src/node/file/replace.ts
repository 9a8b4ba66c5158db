// Writes files atomically: at any moment, the old file or the new one is there, whole. The command line uses this too.

import { randomBytes } from 'node:crypto';
import {
  access,
  constants,
  type FileHandle,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUrl, mustBe } from '../../util/checks/validate.ts';

/** The contents of a file, in order. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The owner and the permissions of a file. */
interface Rights {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The destination of a save. */
export interface Target {
  /** With symbolic links resolved, unless `isSpecial`. */
  readonly path: string;
  /** The rights of the existing file; undefined if there is none. */
  readonly rights: Rights | undefined;
  /** Whether the destination is a device or a pipe, which is written to, not replaced. */
  readonly isSpecial: boolean;
}

const MAX_LINKS = 40;
/** Passed to chown, keeps the owner. */
const SAME = -1;

const missing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** Whether a path is empty, or ends like the path of a folder. */
export function namesNoFile(path: string): boolean {
  return path === '' || /[/\\]$/.test(path);
}

/** @throws TypeError unless the value is a path, RangeError unless that may be the path of a file */
export function requirePath(argument: string, path: unknown): string {
  const name = isUrl(path) ? fileURLToPath(path) : path;
  if (typeof name !== 'string') throw new TypeError(mustBe(argument, 'a string or a URL', path));
  if (namesNoFile(name)) throw new RangeError(mustBe(argument, 'the name of a file', name));
  // Now, because the working directory may change.
  return resolve(name);
}

/** Follows symbolic links to the final path, which need not exist. */
export async function followLinks(name: string): Promise<string> {
  let path = name;
  for (let links = 0; links < MAX_LINKS; links++) {
    const folder = await realpath(dirname(path));
    const here = join(folder, basename(path));
    const link = await readlink(here).catch(() => undefined);
    if (link === undefined) return here;
    path = isAbsolute(link) ? link : `${folder}/${link}`;
  }
  throw new Error('too many symbolic links');
}

/**
 * Resolves the destination of a save.
 *
 * @param name the path of a file, checked with `namesNoFile`
 * @throws the error of the file system if nothing can be written there
 */
export async function findTarget(name: string): Promise<Target> {
  const found = await stat(name).catch(missing);
  // Fails with the system's error for writing to a folder.
  if (found?.isDirectory()) await open(name, 'r+');
  // /dev/stdout may be a link to a pipe, which has no path.
  const isSpecial = found !== undefined && !found.isFile();
  const path = isSpecial ? name : await followLinks(name);
  // A read-only file could be replaced, but its owner does not want that.
  if (found) await access(path, constants.W_OK);
  if (!isSpecial) await access(dirname(path), constants.W_OK);
  return { path, rights: found && { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid }, isSpecial };
}

async function writeAndClose(file: FileHandle, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } finally {
    await file.close();
  }
}

async function writeTo({ path }: Target, chunks: Chunks): Promise<void> {
  const file = await open(path, 'w');
  await writeAndClose(file, () => writeFile(file, chunks));
}

/** Syncing fails for a folder without the right to read it, and on some network file systems. */
const unsynced = (error: NodeJS.ErrnoException): undefined => {
  if (!['EACCES', 'EINVAL', 'ENOTSUP'].includes(error.code ?? '')) throw error;
};

/** Renames a file, and makes its new name survive a power loss. Windows cannot open folders, and needs no such call. */
async function renameAndSync(from: string, path: string): Promise<void> {
  // Before the old file is gone: too many files may be open.
  const folder = process.platform === 'win32' ? undefined : await open(dirname(path), 'r').catch(unsynced);
  try {
    await rename(from, path);
    await folder?.sync().catch(unsynced);
  } finally {
    await folder?.close();
  }
}

/** Gives a new file the owner, the group and the permissions of the one that it replaces. */
async function keepRights(file: FileHandle, { mode, uid, gid }: Rights): Promise<void> {
  const succeeds = (change: Promise<void>): Promise<boolean> =>
    change.then(
      () => true,
      () => false,
    );
  // Only root may change the owner. Otherwise the file belongs to the user who replaces it.
  const keepsOwner = await succeeds(file.chown(uid, gid));
  const keepsGroup = keepsOwner || (await succeeds(file.chown(SAME, gid)));
  // If the group changes, it gets only the rights that everybody has. If the owner changes, the file loses setuid.
  const others = mode & 0o007;
  const permissions = keepsOwner ? mode : mode & 0o777;
  // Set after chown, which clears some bits, and not with open, which applies the umask.
  await file.chmod(keepsGroup ? permissions : (permissions & 0o707) | ((others << 3) & permissions));
}

/**
 * Called with the path of each temporary file before it is made, for programs that remove it if a signal ends them. The
 * function that it returns is called once the file is gone.
 */
type WatchTemporary = (path: string) => () => void;

const unwatched: WatchTemporary = () => () => {};

async function replace({ path, rights }: Target, chunks: Chunks, watch: WatchTemporary): Promise<void> {
  // File systems limit names to 255 bytes.
  const start = Buffer.from(basename(path)).subarray(0, 100).toString();
  const beside = join(dirname(path), `.${start}.${randomBytes(6).toString('hex')}.tmp`);
  const stopWatching = watch(beside);
  try {
    const file = await open(beside, 'wx', rights?.mode);
    await writeAndClose(file, async () => {
      if (rights) await keepRights(file, rights);
      await writeFile(file, chunks);
      await file.sync();
    });
    await renameAndSync(beside, path);
  } catch (error) {
    // What failed first is what the caller must know.
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  } finally {
    stopWatching();
  }
}

/**
 * Writes a file atomically: beside its destination, then synced to disk and renamed. A device or a pipe is written to
 * directly.
 *
 * @throws the error of the file system or of the chunks; then the old file is unchanged, and the temporary file is
 *   removed. Only if syncing the folder fails, the new file is there, and may be lost in a power loss
 */
export function writeTarget(target: Target, chunks: Chunks, watch: WatchTemporary = unwatched): Promise<void> {
  return target.isSpecial ? writeTo(target, chunks) : replace(target, chunks, watch);
}
