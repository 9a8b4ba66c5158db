import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
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
import { basename, dirname, isAbsolute, join } from 'node:path';
import { CommandError, cannot } from './errors.ts';

/** What is written: the contents of a file, in order. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The owner and the permissions of a file. */
interface Rights {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The destination of a save. */
export interface Target {
  /** As the user gave it. */
  readonly name: string;
  /** With symbolic links resolved, unless `isSpecial`. */
  readonly path: string;
  /** The rights of the file that is there; undefined if none is. */
  readonly rights: Rights | undefined;
  /** Whether the destination is a device or a pipe, which must be written to, not replaced. */
  readonly isSpecial: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const MAX_LINKS = 40;
/** Stands for the present owner. */
const SAME = -1;

const missing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** Follows symbolic links to the final path, which need not exist. */
async function followLinks(name: string): Promise<string> {
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
 * Resolves the destination of a save. Called before the work whose result is saved, so that errors come early.
 *
 * @throws CommandError if nothing can be written there
 */
export async function findTarget(name: string): Promise<Target> {
  try {
    if (name === '' || /[/\\]$/.test(name)) throw new Error('it names no file');
    const found = await stat(name).catch(missing);
    if (found?.isDirectory()) throw new Error('it is a directory');
    // A link to a pipe, as /dev/stdout may be, cannot be resolved to a path.
    const isSpecial = found !== undefined && !found.isFile();
    const path = isSpecial ? name : await followLinks(name);
    // A read-only file could be replaced, but whoever made it so does not want that.
    if (found) await access(path, constants.W_OK);
    if (!isSpecial) await access(dirname(path), constants.W_OK);
    return { name, path, rights: found && { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid }, isSpecial };
  } catch (error) {
    throw cannot('write', name, error);
  }
}

/** Removes a file if a signal ends the program. Returns a function that stops watching for signals. */
function removeOnSignal(path: string): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    rmSync(path, { force: true });
    stop();
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stop;
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

/** Makes a new name in a folder survive a power loss. Windows cannot open folders, and needs no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    // A folder that cannot be read cannot be synced, nor can any folder of some network file systems.
    if (!['EACCES', 'EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Gives a new file the owner, the group and the permissions of the one that it replaces. */
async function keepRights(file: FileHandle, { mode, uid, gid }: Rights): Promise<void> {
  const succeeds = (change: Promise<void>): Promise<boolean> =>
    change.then(
      () => true,
      () => false,
    );
  // Only root may give a file away. Without that right, the file belongs to whoever replaces it.
  const keepsOwner = await succeeds(file.chown(uid, gid));
  const keepsGroup = keepsOwner || (await succeeds(file.chown(SAME, gid)));
  // Another group gets no more than everybody. Programs that run with the rights of the owner stay the owner's.
  const others = mode & 0o007;
  const permissions = keepsOwner ? mode : mode & 0o777;
  // After chown, which clears some bits; and not with open, which applies the umask.
  await file.chmod(keepsGroup ? permissions : (permissions & 0o707) | ((others << 3) & permissions));
}

async function replace({ path, rights }: Target, chunks: Chunks): Promise<void> {
  const beside = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  const stopWatching = removeOnSignal(beside);
  try {
    const file = await open(beside, 'wx', rights?.mode);
    await writeAndClose(file, async () => {
      if (rights) await keepRights(file, rights);
      await writeFile(file, chunks);
      await file.sync();
    });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    stopWatching();
  }
  await syncFolder(dirname(path));
}

/**
 * Saves a file atomically: it is written beside its destination, synced to disk and renamed, so that at any moment
 * there is the old file or the new one, whole. A device or a pipe is written to directly.
 *
 * @throws CommandError if that fails
 */
export async function save(target: Target, chunks: Chunks): Promise<void> {
  try {
    await (target.isSpecial ? writeTo : replace)(target, chunks);
  } catch (error) {
    throw error instanceof CommandError ? error : cannot('write', target.name, error);
  }
}
