// Bundles the declarations that tsc has written: a file for each entry, and one for each folder with what several
// entries share, so that a class is the same one in all of them. What no entry leads to is left out. Writes also those
// that tsc does not write.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { TYPES_ENTRY } from './entries.ts';

/** A name in a file that tsc has written, and how it is imported or exported. */
interface Name {
  /** The file that declares it; for what comes from another file, that file and the name there, `*` for all names. */
  readonly file: string;
  readonly name: string;
  readonly clause: string;
  /** The declaration, with its comment and its overloads. */
  text: string;
  /** The entries that lead to it, first those that export it. */
  readonly users: Set<string>;
}

type Use = readonly [clause: string, target: Name];

const CLAUSES = /^(?:import|export)( type)? (?:\{([^}]*)\}|(\* as \w+)) from '([^']+)';/gm;
/** A statement that imports or exports, and has no declaration. Without a path, it must not rename. */
const PASSES = new RegExp(`${CLAUSES.source}|^export(?: type)? \\{(?:(?! as )[^}])*\\};`);
const DECLARES = /^(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/;
const COMMENT = /\/\*\*[\s\S]*?\*\//g;
const PLACEHOLDER = /^\/\*\* .*whose comment the build puts here.*/;
const LIBRARY = /^\/\/\/ .*\n/gm;

const files = new Map<string, Map<string, Name>>();

/** The paths of the files in a folder that end with `ending`. */
export function filesIn(folder: string, ending: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return paths.filter((path) => path.endsWith(ending)).sort();
}

const isEntry = (file: string): boolean => /^dist\/(entries\/.*|index\.d\.ts)$/.test(file);

function read(file: string): Map<string, Name> {
  const names = new Map<string, Name>();
  const code = readFileSync(file, 'utf8').replaceAll(LIBRARY, '');
  for (const [, type, list, all = '', from = ''] of code.matchAll(CLAUSES)) {
    for (const item of list?.match(/\w+(?: \w+)*/g) ?? [all]) {
      const [name = '', as = name] = item.replace('type ', '').split(' as ');
      const clause = type && !all ? `type ${item}` : item;
      const source = join(dirname(file), from.replace(/\.ts$/, '.d.ts'));
      names.set(as, { file: source, name, clause, text: '', users: new Set() });
    }
  }
  let end = 0;
  for (const node of parseSync(file, code, { lang: 'dts' }).program.body) {
    const statement = code.slice(node.start, node.end).replace(/^export /, '');
    const [, name] = DECLARES.exec(statement) ?? [];
    if (name !== undefined) {
      const before = names.get(name)?.text ?? '';
      const text = `${before}${code.slice(end, node.start).trimStart()}${statement}\n`;
      names.set(name, { file, name, clause: name, text, users: new Set() });
    }
    const isKnown = isEntry(file) ? /^export .* from '/s : name === undefined ? PASSES : /^(?!.*\bimport\()/s;
    if (!isKnown.test(code.slice(node.start, node.end).replaceAll(COMMENT, ''))) {
      throw new Error(`tools/declarations.ts cannot read this in ${file}: ${statement}`);
    }
    end = node.end;
  }
  return names;
}

function find(file: string, name: string): Name {
  const found = files.get(file)?.get(name);
  if (!found) throw new Error(`${file} has no ${name}`);
  return found.text ? found : find(found.file, found.name);
}

const exportsOf = (entry: string): Use[] =>
  Array.from(files.get(entry) ?? [], ([name, { clause }]) => [clause, find(entry, name)]);

/** What a declaration names. */
function usesOf({ file, text }: Name): Use[] {
  const code = text.replaceAll(COMMENT, '');
  return [...new Set(code.match(/\w+/g))].flatMap((word): Use[] => {
    const found = files.get(file)?.get(word);
    if (!found) return [];
    if (found.name !== '*') return [[found.clause.replace('type ', ''), find(file, word)]];
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
  // `GrowingFilter` is an interface in one file of its folder, and a class in another.
  const name = file === 'dist/filters/filter.d.ts' ? 'filter' : file.split('/')[1];
  return `dist/declarations/${name}.d.ts`;
}

/** A class that only adds an engine gets the comment of the one that it extends. */
function textOf(name: Name): string {
  return name.text.replace(PLACEHOLDER, () => {
    const base = usesOf(name).find(([clause]) => clause.startsWith('*'))?.[1].text ?? '';
    if (!base.startsWith('/**\n')) throw new Error(`${name.file} extends a class without a comment`);
    const engine = name.file.endsWith('/js.d.ts') ? 'in plain JavaScript' : 'on WebAssembly';
    return `${base.slice(0, base.indexOf(' */'))} *\n * Runs ${engine}.\n */`;
  });
}

/** The text of a file of the bundle, which has these declarations. */
function bundle(file: string, names: readonly Name[]): string {
  if (new Set(names.map(({ name }) => name)).size < names.length) throw new Error(`${file} has a name twice`);
  const statements = new Map<string, Set<string>>();
  const pass = (verb: string, [clause, target]: Use): void => {
    const path = relative(dirname(file), homeOf(target))
      .replace(/^(?!\.)/, './')
      .replace(/d\.ts$/, 'js');
    const source = verb === 'export' && homeOf(target) === file ? '' : ` from '${path}'`;
    const statement = `${verb} ${clause.startsWith('*') ? clause : '{ # }'}${source};\n`;
    statements.set(statement, (statements.get(statement) ?? new Set()).add(clause));
  };
  for (const use of names.flatMap(usesOf)) if (homeOf(use[1]) !== file || use[0].includes(' as ')) pass('import', use);
  for (const use of isEntry(file) ? exportsOf(file) : names.map((name): Use => [name.name, name])) pass('export', use);
  return [
    ...new Set(names.flatMap((name) => readFileSync(name.file, 'utf8').match(LIBRARY) ?? [])),
    ...Array.from(statements, ([statement, clauses]) => statement.replace('#', [...clauses].join(', '))),
    ...names.map(textOf),
  ].join('');
}

export function writeDeclarations(): void {
  const written = filesIn('dist', '.d.ts');
  for (const file of written) files.set(file, read(file));
  const exported = written
    .filter(isEntry)
    .flatMap((entry) => exportsOf(entry).map(([, name]) => [entry, name] as const));
  for (const [entry, name] of exported) name.users.add(entry);
  for (const [entry, name] of exported) for (const [, target] of usesOf(name)) visit(entry, target);
  const homes = new Map<string, Name[]>();
  for (const name of written.flatMap((file) => [...(files.get(file)?.values() ?? [])])) {
    if (name.text && name.users.size > 0) homes.set(homeOf(name), [...(homes.get(homeOf(name)) ?? []), name]);
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
