import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';

const tsx = 'node_modules/tsx/dist/cli.mjs';

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [tsx, ...args], { encoding: 'utf8' });
}

/** Runs an example, expects it to succeed, and returns its output. */
function outputOf(name: string, ...args: string[]): string {
  const { status, stdout, stderr } = run(`examples/${name}.ts`, ...args);
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** The number in the row that begins with `label`. */
function numberIn(output: string, label: string): number {
  const row = output.split('\n').find((line) => line.trimStart().startsWith(`${label} `));
  const value = /^[\d,]+(?= |$)/.exec(row?.trimStart().slice(label.length).trimStart() ?? '');
  if (value === null) throw new Error(`no number in a row '${label}' in\n${output}`);
  return Number(value[0].replaceAll(',', ''));
}

beforeAll(() => {
  execFileSync(process.execPath, [tsx, 'tools/install.ts', 'examples'], { stdio: 'inherit' });
}, 300_000);

describe('the examples', () => {
  it('crawler: fetches no page twice, and misses few pages', () => {
    const output = outputOf('crawler', '1000');
    const fetched = numberIn(output, 'pages fetched');
    expect(numberIn(output, 'pages fetched twice')).toBe(0);
    expect(output).toContain('1 request a page at most');
    expect(numberIn(output, 'pages missed')).toBeLessThanOrEqual(1);
    expect(fetched + numberIn(output, 'pages missed')).toBe(1000);
    expect(numberIn(output, 'stopped after')).toBeLessThan(fetched);
  });

  it('nickname: answers correctly, mostly without the database', () => {
    const output = outputOf('nickname', '2000');
    const requests = numberIn(output, 'one for each keystroke');
    const saved = numberIn(output, 'answered by the filter: free');
    const asked = numberIn(output, 'asked of the database');
    expect(saved + asked).toBe(requests);
    expect(saved).toBeGreaterThan(0.9 * requests);
    expect(numberIn(output, 'free after all: asked in vain')).toBeLessThan(0.03 * requests);
    expect(numberIn(output, 'wrong answers')).toBe(0);
  });

  it('disposable-mail: blocks all disposable domains, and no others', () => {
    const output = outputOf('disposable-mail');
    expect(numberIn(output, 'disposable domains')).toBeGreaterThan(100_000);
    expect(output).toContain(' 0 missed, 0 of a.b.DOMAIN');
    expect(numberIn(output, 'domains of other mail providers')).toBeGreaterThan(5000);
    expect(output).toContain(' 0 refused');
    expect(numberIn(output, 'the filter, as a file')).toBeLessThan(numberIn(output, "the package's JSON") / 5);
  });

  it('disposable-mail: recognizes a domain by its parents, in any case and any script', () => {
    const addresses = ['a@a.b.MAILINATOR.com', 'a@mailinator.com.example.org', 'a@thepiratébay.org', 'a@gmail.com'];
    const verdicts = outputOf('disposable-mail', ...addresses)
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[1]);
    expect(verdicts).toEqual(['disposable', 'welcome', 'disposable', 'welcome']);
  });

  it('feed: repeats nothing within the window, and wrongly omits few items', () => {
    const output = outputOf('feed', '1000');
    expect(numberIn(output, "repeats within a user's last 300")).toBe(0);
    // Items shown before the window are shown again.
    expect(numberIn(output, 'repeats after that, which are allowed')).toBeGreaterThan(0);
    const notRemembered = numberIn(output, 'ranked items that were not remembered');
    expect(numberIn(output, 'of which were left out wrongly')).toBeLessThan(0.02 * notRemembered);
  });

  it('database-guard: finds every row, and makes few queries in vain', () => {
    const output = outputOf('database-guard', '5000');
    const saved = numberIn(output, 'saved by the filter');
    const inVain = numberIn(output, 'asked of the database in vain');
    expect(numberIn(output, 'answers that differ without the filter')).toBe(0);
    expect(numberIn(output, 'rows that were not found')).toBe(0);
    expect(inVain).toBeLessThan(0.03 * (saved + inVain));
    expect(output).toContain('same bits');
  });

  it.each([
    ['crawler', ['x']],
    ['nickname', ['10']],
    ['feed', ['1000', '2000']],
    ['database-guard', ['1e99']],
    ['disposable-mail', ['nobody']],
  ])('%s refuses unknown arguments', (name, args) => {
    const { status, stdout, stderr } = run(`examples/${name}.ts`, ...args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('exit with 1 if a check fails', () => {
    const { status, stderr } = run('-e', "import('./examples/report.ts').then(({ must }) => must(false, 'a claim'))");
    expect(status, stderr).toBe(1);
    expect(stderr).toContain('This does not hold: a claim');
  });
});
