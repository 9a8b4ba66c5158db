// Keeps the results of mutations in RESULTS.md beside this file.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATH = join(import.meta.dirname, 'RESULTS.md');

export interface Figures {
  readonly caught: number;
  readonly all: number;
  /** How many others survived, and give the same results: see `equivalents.ts`. */
  readonly same: number;
  readonly seconds: number;
  /** What was tried of a file or folder: `all`, or `1 line in 5`. */
  readonly part: string;
}

const HEAD = ['| changed | part | caught | set aside | seconds |', '|---|---|---:|---:|---:|'];

/** The command that fills each table, by its heading. */
const commands = {
  assembly: '`npm run mutations -- assembly --save` tries the changes that `patches.ts` lists.',
  src:
    '`npm run mutations -- src/FOLDER --save` runs StrykerJS on a folder, of `cli` as well. Survivors are set aside if ' +
    '`equivalents.ts` says that they give the same results.',
};
export type Section = keyof typeof commands;

const rowOf = (name: string, { part, caught, all, same, seconds }: Figures): string =>
  `| ${name} | ${part} | ${caught} of ${all} | ${same} | ${seconds} |`;

/** The rows of a section, by what was changed. */
function rowsIn(saved: string, section: Section): Map<string, Figures> {
  const [, text = ''] = saved.split(`\n## ${section}\n`);
  const [table = ''] = text.split('\n## ');
  const rows = table.matchAll(/^\| `(.+)` \| (.+) \| (\d+) of (\d+) \| (\d+) \| (\d+) \|$/gm);
  return new Map(
    [...rows].map(([, name = '', part = '', caught, all, same, seconds]) => [
      name,
      { part, caught: Number(caught), all: Number(all), same: Number(same), seconds: Number(seconds) },
    ]),
  );
}

function sectionOf(section: Section, rows: ReadonlyMap<string, Figures>): string[] {
  const sum = (name: 'caught' | 'all' | 'same' | 'seconds'): number =>
    [...rows.values()].reduce((total, figures) => total + figures[name], 0);
  const [caught, all, same, seconds] = [sum('caught'), sum('all'), sum('same'), sum('seconds')];
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const total = rowOf('all', { part: '', caught, all, same, seconds });
  const lines = [...sorted.map(([name, figures]) => rowOf(`\`${name}\``, figures)), total];
  return ['', `## ${section}`, '', `${commands[section]} What has no row was not tried.`, '', ...HEAD, ...lines];
}

/**
 * Writes a row in place of an earlier one.
 *
 * @param exists whether what a row is about still exists; other rows are left out
 */
export function saveFigures(section: Section, name: string, figures: Figures, exists: (name: string) => boolean): void {
  const saved = readFileSync(PATH, 'utf8');
  const tables = new Map((Object.keys(commands) as Section[]).map((each) => [each, rowsIn(saved, each)]));
  const kept = [...(tables.get(section) ?? [])].filter(([old]) => exists(old));
  tables.set(section, new Map([...kept, [name, figures]]));
  const lines = ['# Mutations that the tests notice', ...[...tables].flatMap(([each, rows]) => sectionOf(each, rows))];
  writeFileSync(PATH, `${lines.join('\n')}\n`);
}
