import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { BloomFilter } from 'bloomery';
import { beforeAll, describe, expect, it } from 'vitest';
import { DONE, program, runReading, temporaryFolder, told, workInFolder, write } from './run.ts';

workInFolder();

const keysIn = (name: string): string[] => BloomFilter.fromBytes(fs.readFileSync(name)).pick(['a', 'b']);

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
const { open } = promises;
before(promises, 'writeFile');
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
  fs.writeFileSync(made.path('keys'), 'a\n');
  fs.chmodSync(made.folder, 0o777);
  return made;
}

describe.skipIf(process.platform === 'win32')('a save', () => {
  beforeAll(() => write({ keys: 'a\n', other: 'b\n', 'stopper.cjs': STOPPER }));

  // Root may write anywhere, so as root the program runs as nobody.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const runAsUser = (cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { ...user, cwd, encoding: 'utf8' });

  // Not if that user may not read the program.
  const asUser = it.runIf(runAsUser('/', '--version').status === 0);

  asUser('does not replace a file that is read-only', () => {
    const { folder, path, remove } = openFolder();
    fs.writeFileSync(path('protected'), 'old');
    fs.chmodSync(path('protected'), 0o444);
    const { status, stderr } = runAsUser(folder, 'build', 'keys', '-o', 'protected');
    expect([status, stderr]).toEqual([2, "bloomery: cannot write 'protected': permission denied\n"]);
    expect(fs.readFileSync(path('protected'), 'utf8')).toBe('old');
    remove();
  });

  asUser('succeeds in a folder that can be written but not read', () => {
    const { folder, path, remove } = openFolder();
    fs.chmodSync(folder, 0o333);
    expect(runAsUser(folder, 'build', path('keys'), '-o', path('hidden'))).toMatchObject({ status: 0, stderr: '' });
    expect(keysIn(path('hidden'))).toEqual(['a']);
    fs.chmodSync(folder, 0o777);
    remove();
  });

  // Nobody else may change the owner of a file.
  it.runIf(isRoot)('keeps the owner, as root', async () => {
    fs.writeFileSync('owned', 'old');
    fs.chownSync('owned', 65534, 65534);
    fs.chmodSync('owned', 0o600);
    expect(await told('build keys -o owned')).toEqual(DONE);
    expect(fs.statSync('owned')).toMatchObject({ uid: 65534, gid: 65534 });
    expect(fs.statSync('owned').mode & 0o777).toBe(0o600);
  });

  /** Builds another filter, stopped at a step. Returns how it ended, and the steps up to there. */
  function stopAt(step: number, signal: NodeJS.Signals): { ended: string | null; steps: string[] } {
    const env = { ...process.env, STEP: String(step), SIGNAL: signal };
    const args = ['--require', './stopper.cjs', program, 'build', 'other', '-o', 'filter'];
    const result = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return { ended: result.signal, steps: result.stderr.split('\n').slice(0, -1) };
  }

  const steps = ['open .tmp', 'chown', 'chmod', 'writeFile', 'sync', 'open folder', 'rename', 'sync'];

  it('is synced before it is renamed, and leaves the old or the new file, whole, wherever it is killed', async () => {
    for (const [i, step] of [...steps, undefined].entries()) {
      await told('build keys -o filter');
      const stopped = stopAt(i + 1, 'SIGKILL');
      expect(stopped).toEqual({ ended: step ? 'SIGKILL' : null, steps: steps.slice(0, i + 1) });
      expect([step, keysIn('filter')]).toEqual([step, i > steps.indexOf('rename') ? ['b'] : ['a']]);
    }
  });

  it.each(['writeFile', 'rename'])('removes its temporary file if it is interrupted: at %s', async (last) => {
    const folder = fs.readdirSync('.').filter((name) => !name.endsWith('.tmp') && name !== 'filter');
    for (const name of fs.readdirSync('.').filter((name) => name.endsWith('.tmp'))) fs.rmSync(name);
    await told('build keys -o filter');
    expect(stopAt(steps.indexOf(last) + 1, 'SIGINT').ended).toBe('SIGINT');
    expect(fs.readdirSync('.').sort()).toEqual([...folder, 'filter'].sort());
    expect(keysIn('filter')).toEqual(['a']);
  });
});

beforeAll(() => {
  write({ FILTER: BloomFilter.from(['a']), IN: 'a\n' });
  fs.symlinkSync('IN', 'LINK');
  fs.linkSync('IN', 'HARD');
  fs.mkdirSync('folder');
  fs.symlinkSync('folder', 'linked');
  fs.symlinkSync('folder/other', 'dangling');
  fs.symlinkSync('linked/../dangling', 'twice');
});

const refused = (name: string): string =>
  `bloomery: ${name} is read and written by this command: choose another file\n`;

describe('an input that is also the output is refused, unchanged', () => {
  it.each([
    ['build IN -o IN', 'IN'],
    ['build HARD -o IN', 'IN'],
    ['add IN IN', 'IN'],
    ['pick FILTER IN -o IN', 'IN'],
    ['dedupe IN -o IN', 'IN'],
    ['dedupe IN --seen IN', 'IN'],
    ['pick IN FILTER -o LINK', 'LINK'],
    ['dedupe FILTER --seen IN -o IN', 'IN'],
  ])('%s', async (line, name) => {
    expect(await told(line)).toEqual([2, '', refused(`'${name}'`)]);
    expect(fs.readFileSync('IN', 'utf8')).toBe('a\n');
  });

  it.each([
    ['by a folder that is a link', 'folder/new', 'linked/new'],
    ['by a link to it', 'folder/other', 'dangling'],
    ['by a link to that link', 'twice', 'linked/other'],
    ['by a way around', 'folder/../folder/new', 'folder/./new'],
  ])('a filter that does not exist yet: %s', async (_, seen, output) => {
    expect(await told(`dedupe -n 9 --seen ${seen} -o ${output}`, 'a\n')).toEqual([2, '', refused(`'${output}'`)]);
    expect(fs.readdirSync('folder')).toEqual([]);
  });

  it('stdout, which would grow for ever, and stdin', async () => {
    const stdout = fs.openSync('IN', 'a');
    const args = [program, 'pick', 'FILTER', 'IN'];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] });
    fs.closeSync(stdout);
    expect([status, String(stderr)]).toEqual([2, refused('stdout')]);
    expect((await runReading('IN', 'build', '-n', '1', '-o', 'IN')).code).toBe(2);
    expect(fs.readFileSync('IN', 'utf8')).toBe('a\n');
  });

  it('but a filter may replace one that was read, and another file may be written', async () => {
    expect(await told('merge FILTER FILTER -o FILTER')).toEqual([0, '', '']);
    expect(await told('dedupe -n 9 --seen seen -o another', 'a\n')).toEqual([0, '', '']);
    expect(fs.readFileSync('another', 'utf8')).toBe('a\n');
  });
});
