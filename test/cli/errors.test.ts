import { mkdirSync, readdirSync } from 'node:fs';
import { BloomFilter } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { beforeAll, describe, expect, it } from 'vitest';
import { runIn, told, workInFolder, write } from './run.ts';

workInFolder();
const REDIS_COMMANDS = ['push', 'pull', 'info', 'list', 'check', 'repair', 'delete'].map((each) => `redis ${each}`);
const OTHERS = ['build', 'add', 'has', 'pick', 'omit', 'dedupe', 'info', 'size', 'merge', 'completion'];
const COMMANDS = [...OTHERS, ...REDIS_COMMANDS];
let files: string[];

beforeAll(() => {
  const saved = BloomFilter.from(['a', 'b']).toBytes();
  write({ 'good.bloom': saved, 'cut.bloom': saved.subarray(0, -1), 'later.bloom': saved.with(4, 2) });
  write({ 'fuse.bloom': BinaryFuseFilter.from(['a']), text: 'a\nb\n', 'text.gz': 'a\nb\n' });
  mkdirSync('folder');
  files = readdirSync('.');
});

describe('an error', () => {
  it('says what is missing where WebAssembly is refused', async () => {
    const { code, stderr } = await runIn({ env: { ...process.env, NODE_OPTIONS: '--jitless' } }, 'dedupe', 'text');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^bloomery: the command line needs WebAssembly, which is/m),
    ]);
  });

  it.each<[string | RegExp, string]>([
    ["unknown command 'x'; the commands are build, add, has", 'x'],
    ['a fuse filter needs an --error-rate of at least 2.33e-10, a classic one', 'build text -o x -k fuse -p 1e-12'],
    ['a sharded-fuse filter needs an --error-rate of at least 2.33', 'build text -o x -k sharded-fuse -p 1e-12'],
    ['unknown option --verison; did you mean --version?', '--verison'],
    ["unknown command 'verison'; did you mean version?", 'verison'],
    ['unknown option --kind; a command comes first, and its options follow', '--kind blocked build'],
    ['unknown option -5; if it is an argument, write -- before it', 'has good.bloom -5'],
    ["got 'bloked'; did you mean blocked?", 'build --kind bloked'],
    ["got 'gava'; did you mean guava?", 'info --format gava good.bloom'],
    ["cannot read 'https://a.b/c': no such file or directory; of a URL, pipe in what curl", 'info https://a.b/c'],
    ["cannot read '\ufffd.txt': no such file or directory; if its name is not UTF-8, use < and -", 'dedupe \ufffd.txt'],
    ["cannot write '\ufffd': its name may not be valid UTF-8: use > and -o -", 'build text -o \ufffd'],
    ["unknown command 'redis pll'; did you mean redis pull?", 'redis pll x'],
    ["'good.bloom' is a classic filter, and Redis holds blocked ones", 'redis push good.bloom x'],
    ['--url must be like redis://host:6379/0, or rediss://', 'redis info x --url http://a'],
    ['-u must be like redis://host:6379/0, or rediss://', 'redis info x -u redis://:pass/word@host'],
    ['-u must be like redis://host:6379/0, or rediss://', 'redis info x -u redis:///0'],
    ['a cluster has no database but 0', 'redis info x --cluster -u redis://host/1'],
    ['a client for Redis must be installed: npm install redis', 'redis info x'],
    ['unexpected argument: redis://user:…@host', 'redis info x redis://user:secret@host'],
    ['unexpected argument: redis://user:…@host', 'redis info x redis://user:sec@ret@host'],
    ['unknown option --__proto__; if it is an argument', 'has good.bloom --__proto__=1 a'],
    ["--seed must be a whole number from 0 to 4294967295, got '4294967296'", 'build text -o x --seed 4294967296'],
    ["--threads must be a whole number from 1 to 64, got '65'", 'dedupe --threads 65'],
    ['unknown option - in -c-\n', 'pick -c- --count'],
    ['unknown option - in -c-z\n', 'pick -c-z --count'],
    ['unknown option - in -z-0\n', 'pick -z-0 --count'],
    ['missing option: -n, --capacity <keys>', 'size'],
    ['missing option: -o, --output <file>', 'build text'],
    ['--capacity needs an argument: <keys>', 'size --capacity'],
    ['-n needs an argument: <keys>, got --json; --capacity=--json is read as one', 'size -n --json'],
    ['unknown option --cap; did you mean --capacity?', 'size --cap 5'],
    ["unknown command '-'; the commands are", '-'],
    ['--json takes no argument', 'info --json=1 good.bloom'],
    ['missing argument: <filter>, or --list <file>\n', 'pick'],
    ['missing argument: <keys>', 'has good.bloom'],
    ["cannot read 'missing': no such file or directory", 'info missing'],
    ["cannot read 'folder': it is a directory", 'info folder'],
    ["cannot read '?[31m?': no such file or directory", 'info \x1b[31m\u202e'],
    ["cannot unzip 'text.gz': incorrect header check", 'pick good.bloom text.gz'],
    ["'text' is not a filter: bloomery build makes one from a text", 'info text'],
    [/'cut.bloom' is damaged: it has \d+ of \d+ bytes/, 'info cut.bloom'],
    ["'later.bloom' is a filter that this version of bloomery cannot read", 'info later.bloom'],
    ['cannot count the lines of stdin in advance: pass --capacity N', 'build -o out'],
    ["cannot count the lines of '/dev/null' in advance: pass --capacity N", 'build text /dev/null -o out'],
    ["cannot write 'missing/out': no such file or directory", 'build text -o missing/out'],
    ["cannot write 'folder': it is a directory", 'build text -o folder'],
    ["cannot write 'https://a.b/c': no such file or directory\n", 'build text -o https://a.b/c'],
    ["cannot write 'new/': it names no file", 'build text -o new/'],
    ["-n must be a whole number from 1 to 9e15, such as 1000000, 1e6 or 1M, got '1.5'", 'size -n 1.5'],
    ["-p must be a number between 0 and 1, such as 0.01, 1e-6 or 1%, got '2%x'", 'size -n 1 -p 2%x'],
    ['--delimiter must not be empty', 'dedupe --delimiter='],
    ['--delimiter needs --field or --csv', 'dedupe --delimiter ,'],
    ['--delimiter must not contain what ends a line', 'dedupe -f 2 -d ,\n'],
    ['--error-rate must be at least 1e-50', 'dedupe -p 1e-60'],
    ['may not be valid UTF-8: look it up on stdin, with the key -', 'has good.bloom \ufffd'],
    ["cannot write 'x.zst': a filter is compressed with gzip only", 'build text -o x.zst'],
    ["<shell> must be one of bash, zsh, fish, got 'tcsh'\n", 'completion tcsh'],
    [/a filter of 1\.2 TB is too large/, 'build text -o out -n 1e12'],
    ['--capacity does not go with --kind fuse', 'build text -k fuse -n 10 -o x'],
    ["'fuse.bloom' is a fuse filter, which takes no more keys: build another of all", 'add fuse.bloom text'],
    ["'fuse.bloom' is a fuse filter, and such filters cannot be merged", 'merge fuse.bloom fuse.bloom -o x'],
    ["'fuse.bloom' is a fuse filter, which takes no more keys", 'dedupe --seen fuse.bloom text'],
    ["'none' does not exist: give --capacity to make a filter\n", 'dedupe --seen none -p 1e-6'],
    ['--seen must be a file, because it is read and written', 'dedupe --seen -'],
    ["--max-memory bounds a set: 'none' is a wide filter, which", 'dedupe --seen none -p 1e-6 -n 9 --max-memory 1M'],
    ['there is no memory for 1,000,000,000,000 keys in a set, which is exact\n', 'dedupe -n 1e12'],
    ['--error-rate does not go with --kind fingerprint-set, which is exact\n', 'build -k fingerprint-set -p 0.1 -o x'],
    ['--capacity does not go with --last', 'dedupe --last 10 --capacity 5'],
    ['--max-memory does not go with --last', 'dedupe --last 10 --max-memory 5M'],
    ['a rotating filter needs an --error-rate of at least 0.00004\n', 'dedupe --last 10 -p 1e-6'],
    ['no rotating filter is large enough for so many keys\n', 'dedupe --last 1e12'],
    ['--count needs --repeated, because lines that come once are known only when the text has', 'dedupe --count'],
    ['--repeated does not go with --seen: a file keeps which lines', 'dedupe --repeated --seen none -n 9'],
    ['--repeated does not go with --last: a line that is forgotten would', 'dedupe --repeated --last 9'],
    ['--repeated does not go with --max-memory: it bounds only what keeps', 'dedupe --repeated --max-memory 9M'],
    ['--csv does not go with --json-field', 'dedupe --json-field a --csv'],
    ['--field does not go with --json-field', 'dedupe --json-field a -f 1'],
    ["--json-field must be one name or several, got 'a..b'", 'dedupe --json-field a..b'],
    ['--json-field has a\\,b twice', 'dedupe --json-field a\\,b,a\\,b'],
    ['--delimiter must be a single byte with --csv, and not a quote', 'dedupe --csv -d ::'],
    ['--delimiter must be a single byte with --csv, and not a quote', 'dedupe --csv -d "'],
    ['--skip-invalid needs --csv, --json-field or --value-field: any other line is valid', 'dedupe --skip-invalid'],
    ["-d may not be valid UTF-8, got '\ufffd'", 'dedupe -f 2 -d \ufffd'],
    ["-f may not be valid UTF-8, got 'n\ufffdm'", 'dedupe --header -f n\ufffdm text'],
    ["-o does not compress lines, got 'x.gz': omit it, and write | gzip > FILE", 'dedupe -o x.gz text'],
    ['--csv needs the key -, which stands for the lines of stdin', 'has good.bloom Eve --csv'],
  ])('is one line, and exits with 2: %s, of %s', async (message, line) => {
    const [code, stdout, stderr] = await told(line);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^bloomery: [^\n]+\n$/);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('leaves nothing behind', () => expect(readdirSync('.')).toEqual(files));
});

const textOf = async (line: string): Promise<string> => {
  const [code, stdout, stderr] = await told(line);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

describe('help', () => {
  it.each(COMMANDS)('of %s has examples, and fits 80 columns', async (command) => {
    const help = await textOf(`${command} --help`);
    expect(await textOf(`help ${command}`)).toBe(help);
    expect(help).toMatch(new RegExp(`^Usage: bloomery ${command} [^]*\\nExamples:\\n  .*bloomery ${command} `));
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('of redis lists its commands, on stdout if requested', async () => {
    const help = await textOf('redis --help');
    for (const command of REDIS_COMMANDS) expect(help).toMatch(`\n  ${command} `);
    expect(await textOf('help redis')).toBe(help);
    expect(await told('redis')).toEqual([2, '', help]);
  });

  it('lists the commands, on stdout if requested', async () => {
    const help = await textOf('--help');
    for (const command of COMMANDS) expect(help).toMatch(`\n  ${command} `);
    expect(await told('')).toEqual([2, '', expect.stringMatching(/^Usage: bloomery /)]);
    for (const words of ['help', 'help help', 'help -h']) expect(await textOf(words)).toBe(help);
  });

  it('marks required options', async () => {
    const help = await textOf('build -h');
    expect(await textOf('build text -o x --help')).toBe(help);
    expect(help).toMatch(/^Usage: bloomery build -o <file> \[options\] \[files\.\.\.\]\n/);
    expect(help).toMatch(/stdout \(required\)/);
  });

  it('tells the version', async () => {
    const version = await textOf('--version');
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const word of ['-V', '-v', 'version']) expect(await textOf(word)).toBe(version);
  });
});
