import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, Server } from './redis/servers.ts';
import { withAnswersChecked } from './snippets/answers.ts';
import { type Block, blocksOf } from './snippets/markdown.ts';
import { Project } from './snippets/project.ts';

const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
const blocks = ['README.md', ...pages.map((name) => `docs/${name}`)].flatMap(blocksOf);

/** A page in a document is that of an example, which the runtimes' tests run in browsers. */
const page = readdirSync('examples/large-list').map((name) => readFileSync(`examples/large-list/${name}`, 'utf8'));
const isOfPage = ({ code }: Block): boolean => page.includes(`${code}\n`);

const others = blocks.filter((block) => !isOfPage(block));
const programs = others.filter(({ language }) => language === 'ts' || language === 'js');
const typed = programs.filter(({ language }) => language === 'ts');
const scripts = blocks.filter(({ language }) => language === 'sh');

/** Commands that are not run: they install the package, or run all tests and the largest example. */
const NOT_RUN = ['npm install bloomery', 'npm ci && npm start', 'npm ci && npm test', 'npm install -g bloomery redis'];

function commandsOf({ code }: Block): string[] {
  const lines = code.replaceAll('\\\n', '').split('\n');
  return lines.map((line) => line.replace(/(^|\s+)#.*$/, '')).filter((line) => line !== '');
}
const runnable = (block: Block): string[] => commandsOf(block).filter((command) => !NOT_RUN.includes(command));

const cases = (list: readonly Block[]) =>
  list.map((block): [string, Block] => [`${block.place}, ${block.heading}`, block]);
const made = (code: string): Block => ({ place: 'made:1', line: 1, heading: '', language: 'ts', code });

const mistyped = made("import { lines } from 'bloomery';\nlines('a');");

let project: Project;
let errors: Map<Block, string[]>;
/** Takes the place of the servers in the documents, and is empty before each program. */
let redis: { readonly single: Server; readonly cluster: Cluster };
beforeAll(async () => {
  project = new Project();
  errors = project.compile([...typed, mistyped]);
  redis = { single: await Server.start(), cluster: await Cluster.start(3) };
}, 120_000);
afterAll(() => {
  project.remove();
  redis.single.stop();
  redis.cluster.stop();
});

async function run(block: Block): ReturnType<Project['run']> {
  const { single, cluster } = redis;
  for (const server of [single, ...cluster.masters]) await server.send('flushall');
  const addresses = { 'localhost:6379': `127.0.0.1:${single.port}`, 'localhost:7000': `127.0.0.1:${cluster.ports[0]}` };
  return project.run(block, addresses);
}

describe('the code in the documents', () => {
  it('is in a language that is run here, or a page, or a drawing', () => {
    expect(others.filter(({ language }) => !['ts', 'js', 'sh', 'html', ''].includes(language))).toEqual([]);
    expect(programs.length).toBeGreaterThan(10);
  });

  it('has the whole page of examples/large-list', () => {
    expect(blocks.filter(isOfPage).map(({ code }) => `${code}\n`)).toEqual(page);
  });

  it.each(cases(typed))('compiles: %s', (_, block) => {
    expect(errors.get(block)).toEqual([]);
  });

  it.each(cases(programs))('runs, and gives the answers in its comments: %s', async (_, block) => {
    const { status, stdout, stderr } = await run(block);
    expect(status, stdout + stderr).toBe(0);
  });
});

describe('the commands in the documents', () => {
  it.each(cases(scripts.filter((block) => runnable(block).length > 0)))('run: %s', (_, block) => {
    const REDIS_URL = `redis://127.0.0.1:${redis.single.port}`;
    const { status, stdout, stderr } = project.shell(block, runnable(block), { REDIS_URL });
    expect(status, stdout + stderr).toBe(0);
  });

  it('are those of this package, or listed as not run', () => {
    const foreign = scripts.flatMap(commandsOf).filter((command) => !/(?<!-g )\bbloomery \w/.test(command));
    expect(foreign).toEqual(NOT_RUN);
  });
});

describe('this suite finds', () => {
  it.each([
    ['an answer that is wrong', "['a'].includes('b'); // true: it is not", 'Expected values to be strictly deep-equal'],
    ['a call of what does not exist', 'missing();', 'missing is not defined'],
    [
      'an address that nothing answers for',
      "await fetch('https://example.org/');",
      'nothing answers for https://example.org/',
    ],
  ])('%s', async (_, code, message) => {
    const { status, stderr } = await run(made(code));
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });

  it('an error of types', () => {
    expect(errors.get(mistyped)).toEqual([expect.stringContaining('made-1.ts(2,7): error TS2345')]);
  });

  it('a command that fails, in a pipe too', () => {
    const { status } = project.shell(made(''), ['npx bloomery info no-such-file | cat']);
    expect(status).toBe(2);
  });

  it.each([
    ['f.has(a); // true: it is', 'expectAnswer(f.has(a), "true");'],
    ["f.pick(a); // ['a', 'b']: some", "expectAnswer(f.pick(a), \"['a', 'b']\");"],
    ['f.hasMany(a); // Uint8Array [1, 0]', 'expectAnswer(f.hasMany(a), "Uint8Array [1, 0]");'],
    ['f.countOf(a); // 2, or more', 'expectAnswer(f.countOf(a), "2");'],
    ['bits(a); // 9,585,059 of them', 'expectAnswer(bits(a), "9,585,059");'],
    ['rate(a); // 0.157: much', 'expectAnswer(rate(a), "0.157");'],
    ['console.log(a); // false', 'expectAnswer(a, "false");'],
    ["const a = b(); // ['c']", 'const a = b(); expectAnswer(a, "[\'c\']");'],
    ['f.add(a); // 2nd key', 'f.add(a); // 2nd key'],
    ['f.add(a); // truely new', 'f.add(a); // truely new'],
  ])('the answer in %s', (line, checked) => {
    expect(withAnswersChecked(line)).toBe(checked);
  });
});
