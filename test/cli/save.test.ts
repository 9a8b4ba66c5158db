import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { BloomFilter } from 'bloomery';
import { afterAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { run, start, temporaryFolder } from './run.ts';

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
  });
});
