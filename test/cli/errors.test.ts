import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, temporaryFolder } from './run.ts';

const { folder, path, remove } = temporaryFolder();
const REDIS_COMMANDS = ['redis push', 'redis pull', 'redis info', 'redis delete'];
const OTHERS = ['build', 'add', 'has', 'pick', 'omit', 'dedupe', 'info', 'size', 'merge', 'completion'];
const COMMANDS = [...OTHERS, ...REDIS_COMMANDS];
const FILES = ['cut.bloom', 'cut.gz', 'folder', 'good.bloom', 'kind.bloom', 'later.bloom', 'text', 'text.gz'];

beforeAll(() => {
  const saved = BloomFilter.from(['a', 'b']).toBytes();
  writeFileSync(path('good.bloom'), saved);
  writeFileSync(path('cut.bloom'), saved.subarray(0, -1));
  writeFileSync(path('later.bloom'), saved.with(4, 2));
  writeFileSync(path('kind.bloom'), saved.with(5, 99));
  writeFileSync(path('text'), 'a\nb\n');
  writeFileSync(path('text.gz'), 'a\nb\n');
  writeFileSync(path('cut.gz'), gzipSync('a\nb\n').subarray(0, -3));
  mkdirSync(path('folder'));
});
afterAll(remove);

describe('an error', () => {
  it.each<[string, string[]]>([
    ["unknown command 'pck'; did you mean pick?", ['pck']],
    ["unknown command 'x'; the commands are build, add, has", ['x']],
    ["unknown command 'redis x'; the commands are redis push, redis pull, redis info, redis delete", ['redis', 'x']],
    [
      'a fuse filter needs an --error-rate of at least 2.33e-10, a classic one does not',
      ['build', 'DIR/text', '-o', 'DIR/x', '-k', 'fuse', '-p', '1e-12'],
    ],
    ['unknown option --verison; did you mean --version?', ['--verison']],
    ["unknown command 'verison'; did you mean version?", ['verison']],
    ['unknown option --kind; a command comes first, and its options follow', ['--kind', 'blocked', 'build']],
    ['unknown option -5; if it is an argument, write -- before it', ['has', 'DIR/good.bloom', '-5']],
    ["got 'bloked'; did you mean blocked?", ['build', '--kind', 'bloked']],
    ["got 'gava'; did you mean guava?", ['info', '--format', 'gava', 'DIR/good.bloom']],
    [
      "cannot read 'https://a.b/c': no such file or directory; of a URL, pipe in what curl -fL prints",
      ['info', 'https://a.b/c'],
    ],
    [
      "cannot read '\ufffd.txt': no such file or directory; if its name is not UTF-8, use < and -",
      ['dedupe', '\ufffd.txt'],
    ],
    ["cannot write '\ufffd': its name may not be valid UTF-8: use > and -o -", ['build', 'DIR/text', '-o', '\ufffd']],
    ["unknown command 'redis pll'; did you mean redis pull?", ['redis', 'pll', 'x']],
    ['missing argument: <name>', ['redis', 'push', 'DIR/good.bloom']],
    ['missing option: -o, --output <file>', ['redis', 'pull', 'x']],
    ["'DIR/good.bloom' is a classic filter, and Redis holds blocked ones", ['redis', 'push', 'DIR/good.bloom', 'x']],
    ['--url must be like redis://host:6379/0, or rediss://', ['redis', 'info', 'x', '--url', 'http://a']],
    ['-u must be like redis://host:6379/0, or rediss://', ['redis', 'info', 'x', '-u', 'redis://:pass/word@host']],
    ['a cluster has no database but 0', ['redis', 'info', 'x', '--cluster', '-u', 'redis://host/1']],
    ['a client for Redis must be installed: npm install redis', ['redis', 'info', 'x']],
    ['unexpected argument: redis://user:…@host', ['redis', 'info', 'x', 'redis://user:secret@host']],
    ['unknown option --jsn; did you mean --json?', ['info', '--jsn']],
    ['unknown option --capcity; did you mean --capacity?', ['build', '--capcity', '5']],
    ['unknown option -x', ['info', '-x', 'DIR/good.bloom']],
    ['missing option: -n, --capacity <keys>', ['size']],
    ['missing option: -o, --output <file>', ['build', 'DIR/text']],
    ['--capacity needs an argument: <keys>', ['size', '--capacity']],
    ['-n needs an argument: <keys>, got --json; --capacity=--json is read as one', ['size', '-n', '--json']],
    ['unknown option --cap; did you mean --capacity?', ['size', '--cap', '5']],
    ["unknown command '-'; the commands are", ['-']],
    ['--json takes no argument', ['info', '--json=1', 'DIR/good.bloom']],
    ['missing argument: <filter>', ['pick']],
    ['missing argument: <keys>', ['has', 'DIR/good.bloom']],
    ['unexpected argument: b', ['info', 'DIR/good.bloom', 'b']],
    ["cannot read 'DIR/missing': no such file or directory", ['pick', 'DIR/good.bloom', 'DIR/missing']],
    ["cannot read 'DIR/missing': no such file or directory", ['info', 'DIR/missing']],
    ["cannot read 'DIR/folder': it is a directory", ['omit', 'DIR/good.bloom', 'DIR/folder']],
    ["cannot read 'DIR/folder': it is a directory", ['info', 'DIR/folder']],
    ["cannot read 'DIR/?[31m?': no such file or directory", ['info', 'DIR/\x1b[31m\u202e']],
    ["cannot unzip 'DIR/text.gz': incorrect header check", ['pick', 'DIR/good.bloom', 'DIR/text.gz']],
    ["cannot unzip 'DIR/cut.gz': unexpected end of file", ['build', 'DIR/cut.gz', '-o', 'DIR/out', '-n', '2']],
    ["'DIR/text' is not a filter: bloomery build makes one from a text", ['info', 'DIR/text']],
    [/'DIR\/cut.bloom' is damaged: it has \d+ of \d+ bytes/, ['info', 'DIR/cut.bloom']],
    ["'DIR/later.bloom' is a filter that this version of bloomery cannot read", ['info', 'DIR/later.bloom']],
    ["'DIR/kind.bloom' is a filter that this version of bloomery cannot read", ['info', 'DIR/kind.bloom']],
    ['cannot count the lines of stdin in advance: pass --capacity N', ['build', '-o', 'DIR/out']],
    ["cannot write 'DIR/missing/out': no such file or directory", ['build', 'DIR/text', '-o', 'DIR/missing/out']],
    ["cannot write 'DIR/folder': it is a directory", ['build', 'DIR/text', '-o', 'DIR/folder']],
    ["cannot write '': it names no file", ['build', 'DIR/text', '-o', '']],
    ["cannot write 'DIR/new/': it names no file", ['build', 'DIR/text', '-o', 'DIR/new/']],
    ["-n must be a whole number from 1 to 9e15, such as 1000000, 1e6 or 1M, got '1.5'", ['size', '-n', '1.5']],
    ["-n must be a whole number from 1 to 9e15, such as 1000000, 1e6 or 1M, got '0'", ['size', '-n', '0']],
    ["-p must be a number between 0 and 1, such as 0.01, 1e-6 or 1%, got '2%x'", ['size', '-n', '1', '-p', '2%x']],
    [
      "-k must be one of classic, blocked, counting, wide, cuckoo, dleft, scalable, rotating, stable, fuse, sharded-fuse, got 'xor'",
      ['build', '-k', 'xor'],
    ],
    ['--delimiter must not be empty', ['dedupe', '--delimiter', '']],
    ['--delimiter needs --field', ['dedupe', '--delimiter', ',']],
    ['--delimiter must not contain what ends a line', ['dedupe', '-f', '2', '-d', ',\n']],
    ['--error-rate must be at least 1e-50', ['dedupe', '-p', '1e-60']],
    ['may not be valid UTF-8: look it up with bloomery pick, on stdin', ['has', 'DIR/good.bloom', '\ufffd']],
    ["cannot write 'DIR/x.zst': a filter is compressed with gzip only", ['build', 'DIR/text', '-o', 'DIR/x.zst']],
    [
      'a blocked filter needs an --error-rate of at least 0.00001, a classic one does not',
      ['build', 'DIR/text', '-o', 'DIR/x', '-k', 'blocked', '-p', '1e-6'],
    ],
    [/a filter of 1\.2 TB is too large/, ['build', 'DIR/text', '-o', 'DIR/out', '-n', '1e12']],
  ] as [string, string[]][])('is one line, and exits with 2: %s, of %j', async (message, args) => {
    const { code, stdout, stderr } = await run(...args.map((arg) => arg.replace('DIR', folder)));
    expect(stderr.replaceAll(folder, 'DIR')).toMatch(message);
    expect(stderr).toMatch(/^bloomery: [^\n]+\n$/);
    expect(stdout.length).toBe(0);
    expect(code).toBe(2);
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(folder).sort()).toEqual(FILES);
  });
});

describe('help', () => {
  it.each(COMMANDS)('of %s has examples, and fits 80 columns', async (command) => {
    const words = command.split(' ');
    const { code, stdout } = await run(...words, '--help');
    expect(code).toBe(0);
    expect((await run('help', ...words)).stdout).toEqual(stdout);
    expect(stdout.toString()).toMatch(
      new RegExp(`^Usage: bloomery ${command} [^]*\\nExamples:\\n  .*bloomery ${command} `),
    );
    const lines = stdout.toString().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('of redis is that of its commands', async () => {
    const texts = await Promise.all(REDIS_COMMANDS.map((command) => run(...command.split(' '), '--help')));
    const expected = texts.map(({ stdout }) => stdout).join('\n');
    for (const args of [['redis', '--help'], ['help', 'redis'], ['redis']]) {
      const { code, stdout } = await run(...args);
      expect([code, stdout.toString()]).toEqual([0, expected]);
    }
  });

  it('lists the commands, on stdout if requested', async () => {
    const asked = await run('--help');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    for (const command of COMMANDS) expect(asked.stdout.toString()).toMatch(`\n  ${command} `);
    const bare = await run();
    expect(bare).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(bare.stderr).toMatch(/^Usage: bloomery /);
    expect((await run('help')).stdout).toEqual(asked.stdout);
  });

  it('marks required options', async () => {
    const { stdout } = await run('build', '-h');
    expect(stdout.toString()).toMatch(/^Usage: bloomery build -o <file> \[options\] \[files\.\.\.\]\n/);
    expect(stdout.toString()).toMatch(/stdout \(required\)/);
  });

  it('tells the version', async () => {
    const { stdout } = await run('--version');
    expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const word of ['-V', '-v', 'version']) expect(await run(word)).toMatchObject({ code: 0, stdout });
  });
});
