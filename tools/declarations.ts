// Bundles the declarations that tsc has written: a file for each entry, and one for each folder with what several
// entries share, so that a class is the same one in all of them. What no entry leads to is left out. Writes also those
// that tsc does not write.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { TYPES_ENTRY } from './entries.ts';
import { codeIn } from './prune.ts';

/** A name in a file that tsc has written: what declares it, or where it comes from. */
interface Name {
  readonly file: string;
  /** `*` for all that the file exports. */
  readonly name: string;
  /** How it is imported or exported. */
  readonly clause: string;
  /** A declaration with its comment and its overloads; empty for what comes from another file. */
  text: string;
  /** The entries that lead to it. */
  readonly users: Set<string>;
}

type Use = readonly [clause: string, target: Name];

const CLAUSES = /^(?:import|export)( type)? (?:\{([^}]*)\}|(\* as \w+)) from '([^']+)';/gm;
const DECLARES = /^(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/;
const COMMENT = /\/\*\*[\s\S]*?\*\//g;
const PLACEHOLDER = /^\/\*\* .*whose comment the build puts here.*(?=\n.* extends (\w+)\.(\w+) )/;
const LIBRARY = /^\/\/\/ .*\n/gm;

const files = new Map<string, Map<string, Name>>();

const isEntry = (file: string): boolean => /^dist\/(entries\/.*|index\.d\.ts)$/.test(file);

function namesIn(file: string): Map<string, Name> {
  const known = files.get(file);
  if (known) return known;
  const names = new Map<string, Name>();
  files.set(file, names);
  const code = readFileSync(file, 'utf8').replaceAll(LIBRARY, '');
  for (const [, type, list = '', all, from = ''] of code.matchAll(CLAUSES)) {
    for (const item of all ? [all] : (list.match(/\w+(?: \w+)*/g) ?? [])) {
      const [name = '', as = name] = item.replace('type ', '').split(' as ');
      const origin = join(dirname(file), from.replace(/\.ts$/, '.d.ts'));
      const clause = type && !all ? `type ${item}` : item;
      names.set(as, { file: origin, name, clause, text: '', users: new Set() });
    }
  }
  let end = 0;
  for (const node of parseSync(file, code, { lang: 'dts' }).program.body) {
    const statement = code.slice(node.start, node.end).replace(/^export /, '');
    const [, name] = DECLARES.exec(statement) ?? [];
    const text = `${code.slice(end, node.start).trimStart()}${statement}\n`;
    end = node.end;
    const before = names.get(name ?? '');
    if (before) before.text += text;
    else if (name) names.set(name, { file, name, clause: name, text, users: new Set() });
  }
  return names;
}

/** What declares a name. */
function find(file: string, name: string): Name {
  const found = namesIn(file).get(name);
  if (!found) throw new Error(`${file} has no ${name}`);
  return found.text ? found : find(found.file, found.name);
}

function exportsOf(entry: string): Use[] {
  return Array.from(namesIn(entry), ([name, { clause }]) => [clause, find(entry, name)]);
}

/** What a declaration names. */
function usesOf({ file, text }: Name): Use[] {
  const code = text.replaceAll(COMMENT, '');
  return [...new Set(code.match(/\w+/g))].flatMap((word): Use[] => {
    const found = namesIn(file).get(word);
    if (!found) return [];
    if (found.name !== '*') return [[found.clause, find(file, word)]];
    if (isEntry(found.file)) return [[found.clause, found]];
    const members = code.matchAll(new RegExp(`\\b${word}\\.(\\w+)`, 'g'));
    return Array.from(members, ([, member = '']) => [found.clause, find(found.file, member)]);
  });
}

function visit(entry: string, name: Name): void {
  if (name.users.has(entry)) return;
  name.users.add(entry);
  for (const [, target] of usesOf(name)) visit(entry, target);
}

/** The file that has a declaration in the end. */
function homeOf({ file, text, users }: Name): string {
  if (text === '') return file;
  const [user = ''] = users;
  // What runs on one engine belongs to the entry that exports it, because the other engine has the same names.
  if (users.size === 1 || /\/(wasm|js)\.d\.ts$/.test(file)) return user;
  const [, folder = '', one] = /^dist\/(\w+)\/(filter\.d)?/.exec(file) ?? [];
  // `GrowingFilter` is an interface in one file of its folder, and a class in another.
  return `dist/declarations/${folder === 'filters' && one ? 'filter' : folder}.d.ts`;
}

/** The text of a file of the bundle, which has these declarations. */
function bundle(file: string, declarations: readonly Name[]): string {
  const statements = new Map<string, Set<string>>();
  const pass = (verb: string, [clause, target]: Use): void => {
    const path = relative(dirname(file), homeOf(target))
      .replace(/^(?!\.)/, './')
      .replace(/d\.ts$/, 'js');
    const source = verb === 'export' && homeOf(target) === file ? '' : ` from '${path}'`;
    const statement = `${verb} ${clause.startsWith('*') ? clause : '{ # }'}${source};\n`;
    statements.set(statement, (statements.get(statement) ?? new Set()).add(clause));
  };
  for (const use of declarations.flatMap(usesOf)) {
    if (homeOf(use[1]) !== file || use[0].includes(' as ')) pass('import', [use[0].replace('type ', ''), use[1]]);
  }
  for (const use of isEntry(file) ? exportsOf(file) : declarations.map((each): Use => [each.name, each]))
    pass('export', use);
  return [
    ...new Set(declarations.flatMap((each) => readFileSync(each.file, 'utf8').match(LIBRARY) ?? [])),
    ...Array.from(statements, ([statement, clauses]) => statement.replace('#', [...clauses].join(', '))),
    ...declarations.map(textOf),
  ].join('');
}

/** The text of a declaration there. A class that only adds an engine gets the comment of the one that it extends. */
function textOf({ file, text }: Name): string {
  return text.replace(PLACEHOLDER, (_, all: string, name: string) => {
    const [comment] = find(namesIn(file).get(all)?.file ?? file, name).text.match(COMMENT) ?? [];
    if (comment === undefined) throw new Error(`${name}, which ${file} extends, has no comment`);
    const engine = file.endsWith('/js.d.ts') ? 'in plain JavaScript' : 'on WebAssembly';
    return comment.replace(/ \*\/$/, ` *\n * Runs ${engine}.\n */`);
  });
}

export function writeDeclarations(): void {
  const written = codeIn('dist', '.d.ts').sort();
  const entries = written.filter(isEntry);
  // First those that export it: see `homeOf`.
  for (const entry of entries) for (const [, target] of exportsOf(entry)) target.users.add(entry);
  for (const entry of entries)
    for (const [, next] of exportsOf(entry).flatMap(([, target]) => usesOf(target))) visit(entry, next);
  const homes = new Map<string, Name[]>();
  for (const name of written.flatMap((file) => [...namesIn(file).values()])) {
    if (!name.text || name.users.size === 0) continue;
    const home = homeOf(name);
    const others = homes.get(home) ?? [];
    if (others.some((other) => other.name === name.name)) throw new Error(`${home} has two ${name.name}`);
    homes.set(home, [...others, name]);
  }
  const texts = Array.from(homes, ([file, names]) => [file, bundle(file, names)] as const);
  for (const file of written) rmSync(file);
  mkdirSync('dist/declarations');
  for (const [file, text] of texts) writeFileSync(file, text);
  copyFileSync('src/kernel/kernel.wasm.d.ts', 'dist/kernel.wasm.d.ts');
  // The sources import each other as .ts.
  const declarations = readFileSync(`src/entries/${TYPES_ENTRY}.d.ts`, 'utf8').replaceAll(".ts')", ".js')");
  writeFileSync(`dist/entries/${TYPES_ENTRY}.d.ts`, declarations);
}
