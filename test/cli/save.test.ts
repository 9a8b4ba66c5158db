import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { BloomFilter } from 'bloomery';
import { beforeAll, describe, expect, it } from 'vitest';
import { program, temporaryFolder, told, workInFolder } from './run.ts';

workInFolder();

const DONE = [0, '', ''];
const keysIn = (name: string): string[] => BloomFilter.fromBytes(readFileSync(name)).pick(['a', 'b']);

/** Sends the program `SIGNAL` at the step `STEP` of its save, and stops there. Prints the names of the steps. */
const STOPPER = `
const fs = require('node:fs');
const { promises } = fs;
const { STEP, SIGNAL } = process.env;
let steps = 0;
const step = async (name) => {
  if (steps === 0 && name !== 'open .tmp') return;
  fs.writeSync(2, name + '\\n');
  if (++steps !== Number(STEP)) return;
  setInterval(() => {}, 1000);
  process.kill(process.pid, SIGNAL);
  await new Promise(() => {});
};
const before = (owner, name, describe = () => name) => {
  const call = owner[name];
  owner[name] = async function (...args) {
    await step(describe(...args));
    return call.apply(this, args);
  };
};
const { open, writeFile } = promises;
promises.writeFile = (file, chunks) => writeFile(file, (async function* () {
  for await (const chunk of chunks) {
    await step('write');
    yield chunk;
  }
  await step('written');
})());
before(promises, 'rename');
before(promises, 'open', (path) => 'open ' + (path.endsWith('.tmp') ? '.tmp' : 'folder'));
open(__filename).then(async (file) => {
  for (const name of ['chown', 'chmod', 'sync']) before(Object.getPrototypeOf(file), name);
  await file.close();
});
require('node:module').syncBuiltinESMExports();
`;

/** A folder with a file of keys, in which anyone may write. */
function openFolder(): ReturnType<typeof temporaryFolder> {
  const made = temporaryFolder();
  writeFileSync(made.path('keys'), 'a\n');
  chmodSync(made.folder, 0o777);
  return made;
}

describe.skipIf(process.platform === 'win32')('a save', () => {
  beforeAll(() => {
    writeFileSync('keys', 'a\n');
    writeFileSync('other', 'b\n');
    writeFileSync('stopper.cjs', STOPPER);
  });

  // Root may write anywhere, so as root the program runs as nobody.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const runAsUser = (cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { ...user, cwd, encoding: 'utf8' });

  // Not if that user may not read the program.
  const asUser = it.runIf(runAsUser('/', '--version').status === 0);

  asUser('does not replace a file that is read-only', () => {
    const { folder, path, remove } = openFolder();
    writeFileSync(path('protected'), 'old');
    chmodSync(path('protected'), 0o444);
    const { status, stderr } = runAsUser(folder, 'build', 'keys', '-o', 'protected');
    expect([status, stderr]).toEqual([2, "bloomery: cannot write 'protected': permission denied\n"]);
    expect(readFileSync(path('protected'), 'utf8')).toBe('old');
    remove();
  });

  asUser('succeeds in a folder that can be written but not read', () => {
    const { folder, path, remove } = openFolder();
    chmodSync(folder, 0o333);
    expect(runAsUser(folder, 'build', path('keys'), '-o', path('hidden'))).toMatchObject({ status: 0, stderr: '' });
    expect(keysIn(path('hidden'))).toEqual(['a']);
    chmodSync(folder, 0o777);
    remove();
  });

  // Nobody else may change the owner of a file.
  it.runIf(isRoot)('keeps the owner, as root', async () => {
    writeFileSync('owned', 'old');
    chownSync('owned', 65534, 65534);
    chmodSync('owned', 0o600);
    expect(await told('build keys -o owned')).toEqual(DONE);
    expect(statSync('owned')).toMatchObject({ uid: 65534, gid: 65534 });
    expect(statSync('owned').mode & 0o777).toBe(0o600);
  });

  /** Builds another filter, stopped at a step. Returns how it ended, and the steps up to there. */
  function stopAt(step: number, signal: NodeJS.Signals): { ended: string | null; steps: string[] } {
    const env = { ...process.env, STEP: String(step), SIGNAL: signal };
    const args = ['--require', './stopper.cjs', program, 'build', 'other', '-o', 'filter'];
    const result = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return { ended: result.signal, steps: result.stderr.split('\n').slice(0, -1) };
  }

  const steps = ['open .tmp', 'chown', 'chmod', 'write', 'write', 'written', 'sync', 'rename', 'open folder', 'sync'];

  it('is synced before it is renamed, and leaves the old or the new file, whole, wherever it is killed', async () => {
    for (const [i, step] of [...steps, undefined].entries()) {
      await told('build keys -o filter');
      const stopped = stopAt(i + 1, 'SIGKILL');
      expect(stopped).toEqual({ ended: step ? 'SIGKILL' : null, steps: steps.slice(0, i + 1) });
      expect([step, keysIn('filter')]).toEqual([step, i > steps.indexOf('rename') ? ['b'] : ['a']]);
    }
  });

  it.each(['write', 'rename'])('removes its temporary file if it is interrupted: at %s', async (last) => {
    const folder = readdirSync('.').filter((name) => !name.endsWith('.tmp') && name !== 'filter');
    for (const name of readdirSync('.').filter((name) => name.endsWith('.tmp'))) rmSync(name);
    await told('build keys -o filter');
    expect(stopAt(steps.indexOf(last) + 1, 'SIGINT').ended).toBe('SIGINT');
    expect(readdirSync('.').sort()).toEqual([...folder, 'filter'].sort());
    expect(keysIn('filter')).toEqual(['a']);
  });
});
