import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, temporaryFolder } from './run.ts';

const { folder, path, remove } = temporaryFolder();
const COMMANDS = ['build', 'pick', 'omit', 'dedupe', 'info', 'size', 'merge'];

beforeAll(() => {
  const saved = BloomFilter.from(['a', 'b']).toBytes();
  writeFileSync(path('good.bloom'), saved);
  writeFileSync(path('cut.bloom'), saved.subarray(0, -1));
  writeFileSync(path('text'), 'a\nb\n');
  writeFileSync(path('text.gz'), 'a\nb\n');
  writeFileSync(path('cut.gz'), gzipSync('a\nb\n').subarray(0, -3));
  mkdirSync(path('folder'));
});
afterAll(remove);

describe('an error', () => {
  it.each<[string, string[]]>([
    ["unknown command 'pck' (Did you mean pick?)", ['pck']],
    ["unknown option '--jsn' (Did you mean --json?)", ['info', '--jsn']],
    ["required option '-n, --capacity <keys>' not specified", ['dedupe']],
    ["missing required argument 'filter'", ['pick']],
    ["cannot read 'DIR/missing': no such file or directory", ['pick', 'DIR/good.bloom', 'DIR/missing']],
    ["cannot read 'DIR/missing': no such file or directory", ['info', 'DIR/missing']],
    ["cannot read 'DIR/folder': it is a directory", ['omit', 'DIR/good.bloom', 'DIR/folder']],
    ["cannot read 'DIR/?[31m': no such file or directory", ['info', 'DIR/\x1b[31m']],
    ["cannot unzip 'DIR/text.gz': incorrect header check", ['pick', 'DIR/good.bloom', 'DIR/text.gz']],
    ["cannot unzip 'DIR/cut.gz': unexpected end of file", ['build', 'DIR/cut.gz', '-o', 'DIR/out', '-n', '2']],
    ["'DIR/text' is no filter: bloomery build makes one of a text", ['info', 'DIR/text']],
    [/cannot load 'DIR\/cut.bloom': bytes must be a saved filter: it has \d+ of \d+ bytes/, ['info', 'DIR/cut.bloom']],
    ['stdin can be read only once, so --capacity must be given', ['build', '-o', 'DIR/out']],
    ["cannot write 'DIR/missing/out': no such file or directory", ['build', 'DIR/text', '-o', 'DIR/missing/out']],
    ["cannot write 'DIR/folder': it is a directory", ['build', 'DIR/text', '-o', 'DIR/folder']],
    ["cannot write '': it names no file", ['build', 'DIR/text', '-o', '']],
    ["cannot write 'DIR/new/': it names no file", ['build', 'DIR/text', '-o', 'DIR/new/']],
    [/argument '1_000' is invalid. It must be a whole number/, ['size', '-n', '1_000']],
    [/argument '1.5' is invalid/, ['size', '-n', '1.5']],
    [/argument '0' is invalid/, ['size', '-n', '0']],
    [/argument '1%' is invalid. It must be a number between 0 and 1/, ['size', '-n', '1', '-p', '1%']],
    [/argument 'cuckoo' is invalid. Allowed choices are classic, blocked, counting/, ['build', '-k', 'cuckoo']],
    [/a filter of 3\.59 TB is too large/, ['dedupe', '-n', '1e12']],
  ] as [string, string[]][])('is one line, and exits with 2: %s', async (message, args) => {
    const { code, stdout, stderr } = await run(...args.map((arg) => arg.replace('DIR', folder)));
    expect(stderr.replaceAll(folder, 'DIR')).toMatch(message);
    expect(stderr).toMatch(/^bloomery: [^\n]+\n$/);
    expect(stdout.length).toBe(0);
    expect(code).toBe(2);
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(folder).sort()).toEqual(['cut.bloom', 'cut.gz', 'folder', 'good.bloom', 'text', 'text.gz']);
  });
});

describe('help', () => {
  it.each(COMMANDS)('of %s has examples', async (command) => {
    const { code, stdout } = await run(command, '--help');
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(
      new RegExp(`^Usage: bloomery ${command} [^]*\\nExamples:\\n  .*bloomery ${command} `),
    );
  });

  it('lists the commands, on stdout if requested', async () => {
    const asked = await run('--help');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    for (const command of COMMANDS) expect(asked.stdout.toString()).toMatch(`\n  ${command} `);
    const bare = await run();
    expect(bare).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(bare.stderr).toMatch(/^Usage: bloomery /);
  });

  it('tells the version', async () => {
    expect((await run('--version')).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
