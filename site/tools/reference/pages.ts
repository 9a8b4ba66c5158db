// The pages of the reference, as Markdown: a page for each entry, and one for each class and interface.

import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import {
  type Api,
  type Comment,
  commentOf,
  type Declaration,
  exportsOf,
  firstSentence,
  KINDS,
  oneLine,
  textOf,
} from '../../../tools/api/model.ts';
import { INNER } from '../../../tools/api/read.ts';
import type { Example } from './examples.ts';
import { byTask, type Member, memberOf, membersOf } from './members.ts';
import { type Inlined, TypeWriter } from './types.ts';

export interface Material {
  readonly api: Api;
  /** What each entry is for, by the name by which it is imported, in the order of their pages. */
  readonly about: ReadonlyMap<string, string>;
  /** The examples of the guides, the best first. */
  readonly examples: readonly Example[];
  /** The path from the folder of the reference to that of the repository. */
  readonly repository: string;
}

/** The anchor of the heading above the members that are folded. */
export const FOLDED = 'shared-members';
/** A member that so many classes have, with the same text, is folded. */
const SHARED = 4;
/** Fewer members need no table. */
const FEW = 5;

const tagged = (comment: Comment | undefined, tag: string): string[] =>
  (comment?.blockTags ?? []).filter((each) => each.tag === tag).map(({ content }) => oneLine(textOf(content)));

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);
const row = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`;
/** Begins a group of rows: a cell across all columns. */
const groupRow = (title: string): string => row(`**${title}**`, '');
const codeBlock = (code: string, language = 'dts'): string => `\`\`\`${language}\n${code}\n\`\`\``;
const item = (name: string, text: string): string => `- \`${name}\`: ${text}`;

const hasPage = ({ kind }: Declaration): boolean => kind === KINDS.class || kind === KINDS.interface;

const titleOf = ({ name, kind }: Declaration): string => (kind === KINDS.function ? `${name}()` : name);

const slug = (title: string): string => new GithubSlugger().slug(title);

/** The path from the folder of a page to another one. */
const pathFrom = (page: string, target: string): string => posix.relative(posix.dirname(page), target);

/** Where a declaration stands: on a page of its own, or in a section of the page of its entry. */
function placeOf(entry: string, declaration: Declaration): string {
  const { kind, name } = declaration;
  if (kind === KINDS.class) return `${entry}/classes/${name}.md`;
  if (kind === KINDS.interface) return `${entry}/interfaces/${name}.md`;
  return `${entry}/index.md#${slug(titleOf(declaration))}`;
}

/** @throws Error if two headings of a page have the same anchor: links would lead to the first */
function joined(page: string, parts: readonly string[]): string {
  const headings = parts.filter((part) => /^#+ /.test(part)).map((part) => slug(part.replace(/^#+ /, '')));
  const twice = headings.find((heading, i) => headings.indexOf(heading) !== i);
  if (twice !== undefined) throw new Error(`${page} has two headings #${twice}`);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** What each page needs to know of all the others. */
function contextOf(material: Material) {
  const { api, about } = material;
  const exported = Array.from(about.keys(), (entry) => [entry, exportsOf(api, entry)] as const);
  /** The pages of declarations, with their anchors, by number: below the first entry that exports them. */
  const places = new Map<unknown, string>();
  for (const [entry, declarations] of exported) {
    for (const each of declarations) if (!places.has(each.id)) places.set(each.id, placeOf(entry, each));
  }
  const inner = new Map(exportsOf(api, INNER).map((declaration) => [declaration.name, declaration]));
  const inlined: Inlined = ({ name, target }) => (places.has(target) ? undefined : inner.get(name));
  const pages = [...new Set(exported.flatMap(([, declarations]) => declarations))].filter(hasPage);
  const membersIn = (declarations: readonly Declaration[]): Member[] =>
    declarations.flatMap((declaration) => membersOf(inlined, declaration));
  /** Comments of the members of interfaces, for those that implement them without a comment. */
  const comments = new Map<string, Comment>();
  for (const { title, comment } of membersIn(pages.filter(({ kind }) => kind === KINDS.interface))) {
    if (comment !== undefined && !comments.has(title)) comments.set(title, comment);
  }
  const commentFor = ({ comment, title }: Member): Comment | undefined => comment ?? comments.get(title);
  const fingerprint = (member: Member): string => `${member.code}\n${textOf(commentFor(member)?.summary)}`;
  /** How many classes and interfaces have a member with the same text. */
  const counts = new Map<string, number>();
  for (const text of membersIn(pages).map(fingerprint)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return {
    ...material,
    exported,
    places,
    inlined,
    commentFor,
    isShared: (member: Member): boolean => member.isInherited && (counts.get(fingerprint(member)) ?? 0) >= SHARED,
  };
}

type Context = ReturnType<typeof contextOf>;

/** A link from a page to a declaration; undefined if that has no page. */
function linkTo({ places }: Context, from: string, name: string, target: unknown): string | undefined {
  const place = places.get(target);
  return place && `[\`${name}\`](${pathFrom(from, place)})`;
}

/** The description of each parameter or property that has one. */
function described(list: readonly Pick<Declaration, 'name' | 'comment'>[]): string[] {
  return list.flatMap(({ name, comment }) => (comment ? item(name, oneLine(textOf(comment.summary))) : []));
}

/**
 * What a member, a function or a type is: its code, what it does, its parameters, what it gives and throws.
 *
 * @param self the number of the declaration that the reader sees here, which needs no link
 */
function explained(context: Context, from: string, member: Member, self: number): string[] {
  const { title, code, signatures, inside } = member;
  const comment = context.commentFor(member);
  const parameters = signatures.flatMap((signature) => described(signature.parameters ?? []));
  const throws = tagged(comment, '@throws').map((text) => text.replaceAll(' | ', ' or '));
  const others = inside.references.filter(({ target }) => target !== self);
  const links = others.flatMap(({ name, target }) => linkTo(context, from, name, target) ?? []);
  const types = [...new Set(links)];
  return [
    `### ${title}`,
    codeBlock(code),
    textOf(comment?.summary),
    [...new Set([...parameters, ...described(inside.properties)])].join('\n'),
    ...tagged(comment, '@returns').map((text) => `**Returns** ${text}`),
    throws.length > 1 ? `**Throws**\n\n${throws.map((text) => `- ${text}`).join('\n')}` : '',
    throws.length === 1 ? `**Throws** ${throws[0]}` : '',
    ...tagged(comment, '@see').map((text) => `**See** ${text}`),
    types.length === 0 ? '' : `**Types** ${types.join(', ')}`,
  ];
}

/** Usage from the guides, and where there is more; only the latter below a text that has code. */
function exampleFor(context: Context, from: string, above: string, isWanted: (example: Example) => boolean): string[] {
  const example = context.examples.find(isWanted);
  if (example === undefined) return [];
  const { code, source, heading, anchor } = example;
  const path = posix.join(pathFrom(from, '.'), context.repository, source);
  return [above.includes('```') ? '' : codeBlock(code, 'ts'), `More of this: [${heading}](${path}#${anchor}).`];
}

function tableOf({ commentFor }: Context, members: readonly Member[]): string[] {
  if (members.length <= FEW) return [];
  const rows = byTask(members).flatMap(([task, group]) => [
    groupRow(task),
    ...group.map((member) => row(`[\`${member.use}\`](#${slug(member.title)})`, firstSentence(commentFor(member)))),
  ]);
  return ['## Members', [row('member', 'what it is'), '|---|---|', ...rows].join('\n')];
}

/** The page of a class or an interface. */
function pageOf(context: Context, entry: string, declaration: Declaration): string {
  const { id, name, kind, comment, typeParameters } = declaration;
  const from = placeOf(entry, declaration);
  const members = membersOf(context.inlined, declaration);
  const own = members.filter((member) => !context.isShared(member));
  const shared = members.filter(context.isShared);
  const detailed = (list: readonly Member[]): string[] => list.flatMap((each) => explained(context, from, each, id));
  const word = kind === KINDS.class ? 'class' : 'interface';
  const about = textOf(comment?.summary);
  const isUsage = ({ imports }: Example): boolean => kind === KINDS.class && imports.get(name) === entry;
  const parts = [
    `# ${name}`,
    `A${word === 'class' ? '' : 'n'} ${word} of [\`${entry}\`](${pathFrom(from, `${entry}/index.md`)}).`,
    about,
    ...tagged(comment, '@see').map((text) => `**See** ${text}`),
    ...exampleFor(context, from, about, isUsage),
    typeParameters ? codeBlock(`${word} ${name}${new TypeWriter(context.inlined).typeParameters(typeParameters)}`) : '',
    ...tableOf(context, members),
  ];
  if (own.length > 0) parts.push(shared.length === 0 ? '## In detail' : '## Its own members', ...detailed(own));
  if (shared.length > 0) {
    const summary = `Show ${shared.length} members, which are the same in other classes`;
    parts.push('## Shared members', `<details>\n<summary>${summary}</summary>`, ...detailed(shared), '</details>');
  }
  return joined(from, parts);
}

/** The page of an entry: what it exports, and its functions and types in detail, unless another entry has them first. */
function entryPage(context: Context, entry: string, about: string, exported: readonly Declaration[]): string {
  const from = `${entry}/index.md`;
  const ofKind = (kind: number): Declaration[] => exported.filter((each) => each.kind === kind);
  const contents = (title: string, kind: number): string[] => {
    const rows = ofKind(kind).map((each) => {
      const name = titleOf(each);
      return row(linkTo(context, from, name, each.id) ?? name, firstSentence(commentOf(each)));
    });
    return rows.length === 0 ? [] : [groupRow(title), ...rows];
  };
  const detailed = (title: string, kind: number): string[] => {
    const here = ofKind(kind).filter(({ id }) => context.places.get(id)?.startsWith(from));
    const parts = here.flatMap((each) => explained(context, from, memberOf(context.inlined, each), each.id));
    return parts.length === 0 ? [] : [`## ${title}`, ...parts];
  };
  const rows = [
    ...contents('Classes', KINDS.class),
    ...contents('Functions', KINDS.function),
    ...contents('Interfaces', KINDS.interface),
    ...contents('Types', KINDS.typeAlias),
  ];
  return joined(from, [
    `# ${entry}`,
    about,
    ...exampleFor(context, from, about, ({ imports }) => [...imports.values()].includes(entry)),
    '## Exports',
    [row('export', 'what it is'), '|---|---|', ...rows].join('\n'),
    ...detailed('Functions', KINDS.function),
    ...detailed('Types', KINDS.typeAlias),
  ]);
}

/** All pages of the reference, as Markdown, by their paths below its folder. */
export function pagesOf(material: Material): ReadonlyMap<string, string> {
  const context = contextOf(material);
  const rows = Array.from(material.about, ([entry, text]) => row(`[\`${entry}\`](${entry}/index.md)`, text));
  const first = joined('index.md', [
    '# API reference',
    'What can be imported, by the name of its entry. Most entries have a twin in plain JavaScript, such as `bloomery/js`, which exports the same.',
    [row('entry', 'what it is for'), '|---|---|', ...rows].join('\n'),
  ]);
  const pages = new Map([['index.md', first]]);
  for (const [entry, declarations] of context.exported) {
    pages.set(`${entry}/index.md`, entryPage(context, entry, material.about.get(entry) ?? '', declarations));
    for (const each of declarations.filter(hasPage)) {
      const place = placeOf(entry, each);
      if (place === context.places.get(each.id)) pages.set(place, pageOf(context, entry, each));
    }
  }
  return pages;
}
