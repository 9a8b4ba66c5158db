// The code in the documents that connects to Redis.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cases, programs, runnable, scripts, usesRedis } from '../docs/snippets/documents.ts';
import type { Block } from '../docs/snippets/markdown.ts';
import { Project } from '../docs/snippets/project.ts';
import { libraries } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { server as single } from './one-server.ts';

const shared = programs.filter(usesRedis);
const typed = shared.filter(({ language }) => language === 'ts');

let project: Project;
let errors: Map<Block, string[]>;
beforeAll(() => {
  project = new Project([...libraries]);
  errors = project.compile(typed);
}, 120_000);
beforeEach(async () => {
  for (const server of [single, ...cluster.masters]) await server.send('flushall');
});
afterAll(() => project?.remove());

describe('the code for Redis in the documents', () => {
  it('is found', () => {
    expect(typed.length).toBeGreaterThan(5);
    expect(scripts.filter(usesRedis)).toHaveLength(1);
  });

  it.each(cases(typed))('compiles: %s', (_, block) => expect(errors.get(block)).toEqual([]));

  it.each(cases(shared))('runs, and gives the answers in its comments: %s', async (_, block) => {
    const addresses = {
      'localhost:6379': `127.0.0.1:${single.port}`,
      'localhost:7000': `127.0.0.1:${cluster.ports[0]}`,
    };
    const { status, stdout, stderr } = await project.run(block, addresses);
    expect(status, stdout + stderr).toBe(0);
  });

  it.each(cases(scripts.filter(usesRedis)))('runs, as commands: %s', (_, block) => {
    const REDIS_URL = `redis://127.0.0.1:${single.port}`;
    const { status, stdout, stderr } = project.shell(block, runnable(block), { REDIS_URL });
    expect(status, stdout + stderr).toBe(0);
  });
});
