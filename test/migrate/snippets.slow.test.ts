// The code of other packages in the documents, beside which stands that of this package.

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases, PEERS, programs, usesPeer } from '../docs/snippets/documents.ts';
import { Project } from '../docs/snippets/project.ts';

const blocks = programs.filter(usesPeer);

let project: Project;
beforeAll(() => {
  execFileSync(process.execPath, ['--import', 'tsx', 'tools/install.ts', 'bench'], { stdio: 'inherit' });
  project = new Project(PEERS, 'bench');
}, 300_000);
afterAll(() => project?.remove());

describe('the code of other packages in the documents', () => {
  it('is found', () => expect(blocks).toHaveLength(PEERS.length));

  it.each(cases(blocks))('runs, and gives the answers in its comments: %s', async (_, block) => {
    const { status, stdout, stderr } = await project.run(block);
    expect(status, stdout + stderr).toBe(0);
  });
});
