import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as docs from './snippets/documents.ts';
import type { Block } from './snippets/markdown.ts';
import { Project } from './snippets/project.ts';

// test/redis/snippets.test.ts has those that connect to Redis, and test/migrate/snippets.test.ts those of other packages.
const alone = docs.programs.filter((block) => !docs.usesRedis(block) && !docs.usesPeer(block));
const typed = alone.filter(({ language }) => language === 'ts');
const run = docs.scripts.filter((block) => !docs.usesRedis(block) && docs.runnable(block).length > 0);

let project: Project;
let errors: Map<Block, string[]>;
let thrown: Map<Block, string | undefined>;
beforeAll(async () => {
  project = new Project();
  errors = project.compile(typed);
  thrown = await project.runAll(alone);
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
