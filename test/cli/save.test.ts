import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { BloomFilter } from 'bloomery';
import { afterAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../shared/random.ts';
import { program, run, start, temporaryFolder } from './run.ts';

const KILLS = 100;
/** Makes a file of 20 MB, so that there is time to kill the program while it writes. */
const CAPACITY = 17e6;
const LONGEST_DELAY = 120;
type Outcome = 'old' | 'new';

const { folder, path, remove } = temporaryFolder();
afterAll(remove);

/** Builds a filter, and sends the program `signal` `delay` milliseconds after it begins to save. */
async function endSave(
  folder: string,
  keys: string,
  output: string,
  signal: NodeJS.Signals,
  delay: number,
): Promise<void> {
  const watcher = watch(folder);
  const child = start('build', keys, '-o', output, '--capacity', String(CAPACITY));
  const closed = once(child, 'close');
  const begun = new Promise<void>((resolve) => {
    watcher.on('change', (_event, name) => {
      if (String(name).endsWith('.tmp')) resolve();
    });
  });
  await Promise.race([begun, closed]);
  watcher.close();
  await wait(delay);
  child.kill(signal);
  await closed;
}

async function killRepeatedly(seed: number): Promise<Outcome[]> {
  const { folder, path, remove } = temporaryFolder();
  const random = randomFrom(seed);
  const outcomes: Outcome[] = [];
  writeFileSync(path('filter'), BloomFilter.from(['key 0'], { capacity: CAPACITY }).toBytes());
  let there = 'key 0';
  for (let i = 1; i <= KILLS / 2; i++) {
    const next = `key ${i}`;
    writeFileSync(path('keys'), next);
    await endSave(folder, path('keys'), path('filter'), 'SIGKILL', random(LONGEST_DELAY));
    // Throws if the file is not whole.
    const filter = BloomFilter.fromBytes(readFileSync(path('filter')));
    expect([there, next].map((key) => filter.has(key)).sort()).toEqual([false, true]);
    outcomes.push(filter.has(next) ? 'new' : 'old');
    if (filter.has(next)) there = next;
    filter.dispose();
    for (const name of readdirSync(folder)) if (name.endsWith('.tmp')) rmSync(path(name));
  }
  remove();
  return outcomes;
}

/** A folder with a file of keys, in which anyone may write. */
function openFolder(): ReturnType<typeof temporaryFolder> {
  const made = temporaryFolder();
  writeFileSync(made.path('keys'), 'a\n');
  chmodSync(made.folder, 0o777);
  return made;
}

describe.skipIf(process.platform === 'win32')('a save', () => {
  it('keeps the permissions, and follows links', async () => {
    writeFileSync(path('keys'), 'a\n');
    writeFileSync(path('real'), 'old');
    chmodSync(path('real'), 0o640);
    symlinkSync('real', path('link'));
    symlinkSync('new', path('dangling'));
    expect((await run('build', path('keys'), '-o', path('link'))).code).toBe(0);
    expect((await run('build', path('keys'), '-o', path('dangling'))).code).toBe(0);
    expect(statSync(path('real')).mode & 0o777).toBe(0o640);
    for (const name of ['real', 'new']) expect(BloomFilter.fromBytes(readFileSync(path(name))).has('a')).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'keys', 'link', 'new', 'real']);
  });

  // Root may write anywhere, so as root the program runs as nobody.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const runAsUser = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { ...user, encoding: 'utf8' });

  // Not if that user may not read the program.
  const asUser = it.runIf(runAsUser('--version').status === 0);

  asUser('does not replace a file that is read-only', () => {
    const { path, remove } = openFolder();
    writeFileSync(path('protected'), 'old');
    chmodSync(path('protected'), 0o444);
    const { status, stderr } = runAsUser('build', path('keys'), '-o', path('protected'));
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `bloomery: cannot write '${path('protected')}': permission denied\n`,
    });
    expect(readFileSync(path('protected'), 'utf8')).toBe('old');
    remove();
  });

  asUser('succeeds in a folder that can be written but not read', () => {
    const { folder, path, remove } = openFolder();
    chmodSync(folder, 0o333);
    expect(runAsUser('build', path('keys'), '-o', path('hidden'))).toMatchObject({ status: 0, stderr: '' });
    expect(BloomFilter.fromBytes(readFileSync(path('hidden'))).has('a')).toBe(true);
    chmodSync(folder, 0o777);
    remove();
  });

  // Nobody else may change the owner of a file.
  it.runIf(isRoot)('keeps the owner, as root', async () => {
    const { path, remove } = openFolder();
    writeFileSync(path('owned'), 'old');
    chownSync(path('owned'), 65534, 65534);
    chmodSync(path('owned'), 0o600);
    expect((await run('build', path('keys'), '-o', path('owned'))).code).toBe(0);
    expect(statSync(path('owned'))).toMatchObject({ uid: 65534, gid: 65534 });
    expect(statSync(path('owned')).mode & 0o777).toBe(0o600);
    remove();
  });

  it('writes to a device, and does not replace it', async () => {
    expect((await run('build', path('keys'), '-o', '/dev/null')).code).toBe(0);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('removes its temporary file if interrupted', async () => {
    const { folder, path, remove } = temporaryFolder();
    writeFileSync(path('keys'), 'a\n');
    await endSave(folder, path('keys'), path('filter'), 'SIGINT', 1);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    remove();
  });

  it('leaves either the old or the new file, whole, if killed at any moment', async () => {
    const outcomes = (await Promise.all([killRepeatedly(1), killRepeatedly(2)])).flat();
    const count = (name: Outcome): number => outcomes.filter((each) => each === name).length;
    console.log(`killed ${KILLS} times: the old file ${count('old')} times, the new one ${count('new')} times`);
    expect(outcomes).toHaveLength(KILLS);
    expect(count('old')).toBeGreaterThan(0);
    expect(count('new')).toBeGreaterThan(0);
    // Each time, a process starts.
  }, 300_000);
});
