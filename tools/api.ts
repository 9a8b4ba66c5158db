// Writes the index of the API, docs/api.md, from the declarations in dist/: what each entry exports, with the first
// sentence of its doc comment. `npm run api`.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importName } from './entries.ts';
import { modules } from './manifest.ts';

const FILE = 'docs/api.md';

interface Member {
  readonly name: string;
  /** The first sentence of the doc comment; empty without one. */
  readonly summary: string;
}

interface Declared extends Member {
  readonly isClass: boolean;
  readonly members: readonly Member[];
}

const COMMENT = String.raw`(?:/\*\*((?:(?!\*/)[\s\S])*)\*/\s*)?`;
const DECLARATION = new RegExp(
  String.raw`^${COMMENT}export (?:declare )?(?:abstract )?(class|interface|function|type|const) (\w+)(?:<[^{(]*?>)?(?: extends ([\w.]+)(?:<[^{(]*?>)?)?(?: implements ((?:\w+, )*\w+))?`,
  'gm',
);
const MEMBER = new RegExp(
  String.raw`^ {4}${COMMENT}(private |protected )?(static )?(?:abstract |readonly )*(get )?(\w+)(\??: <?|<|\(|\?\()`,
  'gm',
);

function firstSentence(comment = ''): string {
  const text = comment
    .replaceAll(/\s*\n\s*\* ?/g, '\n')
    .trim()
    .split(/\n\s*\n|\n(?=@|```)/)[0] as string;
  const line = text.replaceAll(/\s+/g, ' ');
  return line.startsWith('@') ? '' : (/^.*?[.](?= |$)/.exec(line)?.[0] ?? line);
}

/** The path of a declaration file, from an import in another one. */
const fileOf = (from: string, path: string): string => join(dirname(from), path.replace(/\.ts$/, '.d.ts'));

/** Members that are of no use to callers. */
const HIDDEN = ['constructor', 'toJSON'];

function membersOf(body: string): Member[] {
  const members = new Map<string, string>();
  for (const [, comment, hidden, isStatic = '', get, name = '', end = ''] of body.matchAll(MEMBER)) {
    if (hidden !== undefined || HIDDEN.includes(name)) continue;
    const shown = `${isStatic}${name}${get === undefined && /[<(]/.test(end) ? '()' : ''}`;
    members.set(shown, members.get(shown) || firstSentence(comment));
  }
  return [...members].map(([name, summary]) => ({ name, summary }));
}

/** Merges lists of members. Of those with the same name, the first counts, with the first summary that is not empty. */
function merged(lists: readonly (readonly Member[])[]): Member[] {
  const members = new Map<string, string>();
  for (const { name, summary } of lists.flat()) members.set(name, members.get(name) || summary);
  return [...members].map(([name, summary]) => ({ name, summary }));
}

/** Finds what a file declares under a name, with inherited members. */
function declarationIn(file: string, wanted: string): Declared | undefined {
  const text = readFileSync(file, 'utf8');
  for (const match of text.matchAll(DECLARATION)) {
    const [whole, comment, kind, name = '', base, interfaces] = match;
    if (name !== wanted) continue;
    const summary = firstSentence(comment);
    if (kind === 'function') return { name: `${name}()`, summary, isClass: false, members: [] };
    if (kind !== 'class' && kind !== 'interface') return { name, summary, isClass: false, members: [] };
    const rest = text.slice(match.index + whole.length);
    const own = membersOf(rest.slice(0, rest.indexOf('\n}')));
    const parents = [base, ...(interfaces?.split(', ') ?? [])].filter((parent) => parent !== undefined);
    const inherited = parents.map((parent) => inheritedFrom(file, text, parent));
    return { name, summary, isClass: kind === 'class', members: merged([own, ...inherited]) };
  }
  return undefined;
}

/**
 * The members of a base class or an interface, such as `bloom.BloomFilter` or `CombinableFilter`; none for JavaScript's
 * built-in classes.
 */
function inheritedFrom(file: string, text: string, base: string): readonly Member[] {
  const [first = '', name = first] = base.split('.');
  const from = new RegExp(String.raw`^import (?:type )?[^;]*?\b${first}\b[^;]*? from '(\.[^']*)';`, 'm').exec(
    text,
  )?.[1];
  const place = from === undefined ? file : fileOf(file, from);
  return declarationIn(place, name)?.members ?? [];
}

/** The exports of a file, in its order. */
function exportsOf(file: string): Declared[] {
  const text = readFileSync(file, 'utf8');
  const declared = [...text.matchAll(DECLARATION)].map(([, , , name = '']) => declarationIn(file, name) as Declared);
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from '([^']+)';/gm)].flatMap(
    ([, names = '', from = '']) =>
      (names.match(/[^,\s]+(?=\s*(?:,|$))/g) ?? []).map((name) => {
        return declarationIn(fileOf(file, from), name) ?? { name, summary: '', isClass: false, members: [] };
      }),
  );
  const all = [...text.matchAll(/^export \* from '([^']+)';/gm)].flatMap(([, from = '']) =>
    exportsOf(fileOf(file, from)),
  );
  return [...declared, ...passedOn, ...all];
}

const line = ({ name, summary }: Member): string => `\`${name}\`${summary === '' ? '' : `: ${summary}`}`;

const has = ({ members }: Declared, wanted: string): boolean => members.some(({ name }) => name === wanted);

const isFilterClass = (each: Declared): boolean =>
  each.isClass && has(each, 'static fromBytes()') && has(each, 'toBytes()');

const intro = `# API

What each entry exports, by the first sentence of its comment. The whole comments, with parameters, units, ranges, errors
and cost, are in the declarations of the package, which editors show: point at a name. The entries \`…/js\` export the
same as those without. \`npm run api\` writes this page.

Every class of filters has the members of \`Filter\`, and those that take keys without labels the members of
\`GrowingFilter\`. Below each class are only the others. All classes of filters have
`;

/** The index as Markdown. */
export function apiIndex(): string {
  // Entries in plain JavaScript have the same exports as those on WebAssembly.
  const lists = [...modules]
    .filter(([name]) => !/(?:^|\/)js$/.test(name))
    .map(([name, { module }]) => ({ name, exported: exportsOf(`dist/${module}.d.ts`) }));

  const classes = lists.flatMap(({ exported }) => exported).filter(isFilterClass);
  const inAll = (classes[0]?.members ?? []).filter(({ name }) => classes.every((each) => has(each, name)));
  const interfaces = lists.flatMap(({ exported }) => exported).filter(({ name }) => /^(?:Growing)?Filter$/.test(name));
  const sharedBy = (each: Declared): Set<string> => {
    const implemented = interfaces.filter(({ members }) => members.every(({ name }) => has(each, name)));
    return new Set([...inAll, ...implemented.flatMap(({ members }) => members)].map(({ name }) => name));
  };
  const rowsOf = (each: Declared): string[] => {
    const shared = has(each, 'toBytes()') && !interfaces.includes(each) ? sharedBy(each) : new Set();
    const members = each.members.filter(({ name }) => !shared.has(name));
    return [`- ${line(each)}`, ...members.map((member) => `  - ${line(member)}`)];
  };
  const sections = lists.map(({ name, exported }) => {
    const sorted = [...exported].sort((a, b) => Number(b.isClass) - Number(a.isClass));
    return [`## \`${importName(name)}\``, '', ...sorted.flatMap(rowsOf)].join('\n');
  });
  const statics = inAll.filter(({ name }) => !interfaces.some((each) => has(each, name)));
  return `${intro}\n${statics.map((each) => `- ${line(each)}`).join('\n')}\n\n${sections.join('\n\n')}\n`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(FILE, apiIndex());
