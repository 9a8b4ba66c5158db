// Bash itself completes here. For the other shells, everything that can be completed must be there.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { withHelp } from '../../cli/args/command.ts';
import { commands } from '../../cli/commands.ts';
import { foreignClasses, kindNames as kinds } from '../../cli/filters/kinds.ts';
import { told } from './run.ts';

const formats = foreignClasses.map(({ kind }) => kind);
const first = new Set([...commands.map(({ name }) => name.replace(/ .*/, '')), 'help']);

const programs = new Map<string, string>();

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const [code, stdout] = await told(`completion ${shell}`);
    expect(code).toBe(0);
    programs.set(shell, stdout);
  }
});

/** What Bash offers after these words, the last of which is unfinished. */
function offered(...words: readonly string[]): string[] {
  const program = `${programs.get('bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bloomery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in Bash', () => {
  it.each<[line: string, offers: readonly string[]]>([
    ['', [...first]],
    ['x', []],
    ['redis ', ['push', 'pull', 'info', 'list', 'check', 'repair', 'delete']],
    ['redis pull --m', ['--module']],
    ['build --kind ', kinds],
    ['build -k c', kinds.filter((kind) => kind.startsWith('c'))],
    ['build --kind = w', ['wide']],
    ['pick a.bloom --format r', ['redisbloom']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['help de', ['dedupe']],
    // These are left to files.
    ['build na', []],
    ['build -o ', []],
    ['pick a.bloom ', []],
  ])('of bloomery %j offers %j', (line, offers) => {
    expect(offered('bloomery', ...line.split(' ')).sort()).toEqual([...offers].sort());
  });

  it('offers every option of every command', () => {
    for (const { name, options } of commands) {
      const names = Object.keys(withHelp(options)).map((each) => `--${each}`);
      expect({ name, offers: offered('bloomery', ...name.split(' '), '-') }).toEqual({ name, offers: names });
    }
  });
});

describe.each(['zsh', 'fish'])('completion in %s', (shell) => {
  it('has every command, option, kind and format', () => {
    const words = new Set(programs.get(shell)?.match(/[\w-]+/g));
    const options = commands.flatMap((command) => Object.keys(withHelp(command.options)));
    const wanted = [...commands.flatMap(({ name }) => name.split(' ')), ...kinds, ...formats, 'redisbloom'];
    const long = options.map((name) => (shell === 'fish' ? name : `--${name}`));
    expect([...wanted, ...long].filter((word) => !words.has(word))).toEqual([]);
  });
});

it('completion in zsh offers an option again that may be given several times', () => {
  const specifications = programs.get('zsh')?.match(/^.*--(?:list|output)=/gm);
  expect(specifications?.filter((each) => each.includes("'*'--list="))).toHaveLength(2);
  expect(specifications?.filter((each) => each.includes('*'))).toHaveLength(2);
});

describe('the manual page', () => {
  const page = readFileSync('dist/cli/bloomery.1', 'utf8');

  it('has every command with its options and examples', () => {
    const text = page.replaceAll('\\-', '-');
    for (const { name, options, examples } of commands) {
      expect(text).toContain(`.SS \\fBbloomery ${name} `);
      for (const option of Object.keys(withHelp(options))) expect(text).toContain(`--${option}`);
      for (const example of examples) expect(text).toContain(example);
    }
  });

  it('is named as npm wants it, which passes over a name that is not in a list', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: unknown };
    expect(man).toEqual(['./dist/cli/bloomery.1']);
  });
});
