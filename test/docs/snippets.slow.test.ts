import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as docs from './snippets/documents.ts';
import type { Block } from './snippets/markdown.ts';
import { Project, withAnswersChecked } from './snippets/project.ts';

// test/redis/snippets.test.ts has those that connect to Redis, and test/migrate/snippets.slow.test.ts those of other
// packages.
const alone = docs.programs.filter((block) => !docs.usesRedis(block) && !docs.usesPeer(block));
const typed = alone.filter(({ language }) => language === 'ts');
const run = docs.scripts.filter((block) => !docs.usesRedis(block) && docs.runnable(block).length > 0);
const place = { place: 'made:1', line: 1, heading: '', language: 'ts' };
const wrong: Block = { ...place, code: "Promise.reject(new Error('late'));\n['a'].includes('b'); // true: it is not" };

let project: Project;
let errors: Map<Block, string[]>;
let thrown: Map<Block, string | undefined>;
beforeAll(async () => {
  project = new Project();
  errors = project.compile(typed);
  thrown = await project.runAll([wrong, ...alone]);
}, 120_000);
afterAll(() => project.remove());

describe('the code in the documents', () => {
  it('is in a language that is run here, or in Java, or a page, or a drawing', () => {
    const known = ['ts', 'js', 'sh', 'html', 'java', ''];
    expect(docs.others.filter(({ language }) => !known.includes(language))).toEqual([]);
    expect(docs.programs.length).toBeGreaterThan(10);
  });

  it('has the whole page of examples/large-list', () =>
    expect(docs.blocks.filter(docs.isOfPage).map(({ code }) => `${code}\n`)).toEqual(docs.page));

  it.each(docs.cases(typed))('compiles: %s', (_, block) => expect(errors.get(block)).toEqual([]));

  it.each(docs.cases(alone))('runs, and gives the answers in its comments: %s', (_, block) => {
    expect(thrown.get(block)).toBe('');
  });
});

describe('the commands in the documents', () => {
  it.each(docs.cases(run))('run: %s', (_, block) => {
    const { status, stdout, stderr } = project.shell(block, docs.runnable(block));
    expect(status, stdout + stderr).toBe(0);
  });

  it('are those of this package, or listed as not run', () => {
    const foreign = docs.scripts.flatMap(docs.commandsOf).filter((command) => !/(?<!-g )\bbloomery \w/.test(command));
    expect(foreign).toEqual(docs.NOT_RUN);
  });
});

describe('this suite finds', () => {
  it('answers that are wrong, and errors that nobody waits for', () =>
    expect(thrown.get(wrong)).toMatch(/Expected values to be strictly deep-equal[\s\S]*late/));

  it.each([
    ['f.has(a); // true: it is', 'expectAnswer(f.has(a), "true");'],
    ['f.hasMany(a); // Uint8Array [1, 0]', 'expectAnswer(f.hasMany(a), "Uint8Array [1, 0]");'],
    ['bits(a); // 9,585,059 of them', 'expectAnswer(bits(a), "9,585,059");'],
    ['console.log(a); // false', 'expectAnswer(a, "false");'],
    ["const a = b(); // ['c']", 'const a = b(); expectAnswer(a, "[\'c\']");'],
    ['f.add(a); // 2nd key', 'f.add(a); // 2nd key'],
  ])('the answer in %s', (line, checked) => expect(withAnswersChecked(line)).toBe(checked));
});
