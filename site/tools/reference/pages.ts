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
  type Signature,
  textOf,
} from '../../../tools/api/model.ts';
import { INNER } from '../../../tools/api/read.ts';
import type { Example } from './examples.ts';
import { byTask, type Member, memberOf, membersOf } from './members.ts';
import { type Inlined, TypeWriter } from './types.ts';

/** A page as Markdown, by its path below the folder of the reference. */
type Pages = Map<string, string>;

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

class Reference {
  readonly #material: Material;
  /** The pages of declarations, with their anchors, by number: below the first entry that exports them. */
  readonly #places = new Map<number, string>();
  readonly #inner: ReadonlyMap<string, Declaration>;
  /** How many classes and interfaces have a member with the same text. */
  readonly #counts = new Map<string, number>();
  /** Comments of the members of interfaces, for those that implement them without a comment. */
  readonly #comments = new Map<string, Comment>();
  readonly #inlined: Inlined;

  constructor(material: Material) {
    this.#material = material;
    this.#inner = new Map(exportsOf(material.api, INNER).map((declaration) => [declaration.name, declaration]));
    this.#inlined = ({ name, target }) =>
      typeof target === 'number' && this.#places.has(target) ? undefined : this.#inner.get(name);
    const declarations = new Set<Declaration>();
    for (const entry of material.about.keys()) {
      for (const declaration of exportsOf(material.api, entry)) {
        declarations.add(declaration);
        const { id } = declaration;
        if (!this.#places.has(id)) this.#places.set(id, placeOf(entry, declaration));
      }
    }
    const pages = [...declarations].filter(hasPage);
    for (const declaration of pages.filter(({ kind }) => kind === KINDS.interface)) {
      for (const { title, comment } of membersOf(this.#inlined, declaration)) {
        if (comment !== undefined && !this.#comments.has(title)) this.#comments.set(title, comment);
      }
    }
    for (const member of pages.flatMap((declaration) => membersOf(this.#inlined, declaration))) {
      const text = this.#fingerprint(member);
      this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    }
  }

  #fingerprint(member: Member): string {
    return `${member.code}\n${textOf(this.#commentOf(member)?.summary)}`;
  }

  #commentOf({ comment, title }: Member): Comment | undefined {
    return comment ?? this.#comments.get(title);
  }

  /** A link from a page to a declaration, or its name alone if it has no page. */
  #link(from: string, { name, target }: { readonly name: string; readonly target?: unknown }): string | undefined {
    const place = typeof target === 'number' ? this.#places.get(target) : undefined;
    return place === undefined ? undefined : `[\`${name}\`](${posix.relative(posix.dirname(from), place)})`;
  }

  /** What a member, a function or a type is: its code, what it does, its parameters, what it gives and throws. */
  #explained(from: string, member: Member, self?: number): string[] {
    const comment = this.#commentOf(member);
    const parameters = member.signatures.flatMap(parametersOf);
    const properties = member.inside.properties
      .filter((property) => property.comment !== undefined)
      .map(({ name, comment: about }) => item(name, oneLine(textOf(about?.summary))));
    const throws = tagged(comment, '@throws').map((text) => text.replaceAll(' | ', ' or '));
    const others = member.inside.references.filter(({ target }) => target !== self);
    const links = others.map((reference) => this.#link(from, reference));
    const types = [...new Set(links.filter((link) => link !== undefined))];
    return [
      codeBlock(member.code),
      textOf(comment?.summary),
      [...new Set([...parameters, ...properties])].join('\n'),
      ...tagged(comment, '@returns').map((text) => `**Returns** ${text}`),
      throws.length > 1 ? `**Throws**\n\n${throws.map((text) => `- ${text}`).join('\n')}` : '',
      throws.length === 1 ? `**Throws** ${throws[0]}` : '',
      ...tagged(comment, '@see').map((text) => `**See** ${text}`),
      types.length === 0 ? '' : `**Types** ${types.join(', ')}`,
    ];
  }

  /** Usage from the guides, and where there is more; only the latter below a text that has code. */
  #example(from: string, above: string, isWanted: (example: Example) => boolean): string[] {
    const example = this.#material.examples.find(isWanted);
    if (example === undefined) return [];
    const { code, source, heading, anchor } = example;
    const up = posix.relative(posix.dirname(from), '.');
    const path = posix.join(up, this.#material.repository, source);
    return [above.includes('```') ? '' : codeBlock(code, 'ts'), `More of this: [${heading}](${path}#${anchor}).`];
  }

  #table(members: readonly Member[]): string[] {
    if (members.length <= FEW) return [];
    const rows = byTask(members).flatMap(([task, group]) => [
      groupRow(task),
      ...group.map((member) => {
        const link = `[\`${member.use}\`](#${slug(member.title)})`;
        return row(link, firstSentence(this.#commentOf(member)));
      }),
    ]);
    return ['## Members', [row('member', 'what it is'), '|---|---|', ...rows].join('\n')];
  }

  /** The page of a class or an interface. */
  #pageOf(entry: string, declaration: Declaration): string {
    const { name, kind, comment, typeParameters } = declaration;
    const from = placeOf(entry, declaration);
    const members = membersOf(this.#inlined, declaration);
    const isShared = (member: Member): boolean =>
      member.isInherited && (this.#counts.get(this.#fingerprint(member)) ?? 0) >= SHARED;
    const own = members.filter((member) => !isShared(member));
    const shared = members.filter(isShared);
    const detailed = (list: readonly Member[]): string[] =>
      list.flatMap((member) => [`### ${member.title}`, ...this.#explained(from, member, declaration.id)]);
    const word = kind === KINDS.class ? 'class' : 'interface';
    const about = textOf(comment?.summary);
    const isUsage = ({ imports }: Example): boolean => kind === KINDS.class && imports.get(name) === entry;
    const parts = [
      `# ${name}`,
      `A${word === 'class' ? '' : 'n'} ${word} of [\`${entry}\`](${posix.relative(posix.dirname(from), `${entry}/index.md`)}).`,
      about,
      ...tagged(comment, '@see').map((text) => `**See** ${text}`),
      ...this.#example(from, about, isUsage),
      typeParameters === undefined
        ? ''
        : codeBlock(`${word} ${name}${new TypeWriter(this.#inlined).typeParameters(typeParameters)}`),
      ...this.#table(members),
      ...(own.length === 0 ? [] : [shared.length === 0 ? '## In detail' : '## Its own members', ...detailed(own)]),
      ...(shared.length === 0
        ? []
        : [
            '## Shared members',
            `<details>\n<summary>Show ${shared.length} members, which are the same in other classes</summary>`,
            ...detailed(shared),
            '</details>',
          ]),
    ];
    return joined(from, parts);
  }

  #contents(from: string, title: string, declarations: readonly Declaration[]): string[] {
    if (declarations.length === 0) return [];
    const rows = declarations.map((declaration) => {
      const name = titleOf(declaration);
      return row(this.#link(from, { name, target: declaration.id }) ?? name, firstSentence(commentOf(declaration)));
    });
    return [groupRow(title), ...rows];
  }

  #entryPage(entry: string, about: string): string {
    const from = `${entry}/index.md`;
    const exported = exportsOf(this.#material.api, entry);
    const ofKind = (kind: number): Declaration[] => exported.filter((each) => each.kind === kind);
    const isHere = ({ id }: Declaration): boolean => this.#places.get(id)?.startsWith(from) === true;
    const functions = ofKind(KINDS.function);
    const types = ofKind(KINDS.typeAlias);
    const rows = [
      ...this.#contents(from, 'Classes', ofKind(KINDS.class)),
      ...this.#contents(from, 'Functions', functions),
      ...this.#contents(from, 'Interfaces', ofKind(KINDS.interface)),
      ...this.#contents(from, 'Types', types),
    ];
    const detailed = (title: string, list: readonly Declaration[], memberFor: (each: Declaration) => Member) => {
      const here = list.filter(isHere);
      const parts = here.flatMap((each) => [
        `### ${titleOf(each)}`,
        ...this.#explained(from, memberFor(each), each.id),
      ]);
      return parts.length === 0 ? [] : [`## ${title}`, ...parts];
    };
    return joined(from, [
      `# ${entry}`,
      about,
      ...this.#example(from, about, ({ imports }) => [...imports.values()].includes(entry)),
      '## Exports',
      [row('export', 'what it is'), '|---|---|', ...rows].join('\n'),
      ...detailed('Functions', functions, (each) => asFunction(memberOf(this.#inlined, each, ''))),
      ...detailed('Types', types, (each) => this.#typeMember(each)),
    ]);
  }

  /** A type as what stands on a page, like a member. */
  #typeMember(declaration: Declaration): Member {
    const { name, type, comment, typeParameters } = declaration;
    const inside = new TypeWriter(this.#inlined);
    const text = inside.text(type);
    return {
      key: name,
      title: name,
      use: name,
      code: `type ${name}${inside.typeParameters(typeParameters)} =${text.startsWith('\n') ? '' : ' '}${text};`,
      comment,
      signatures: [],
      inside,
      isInherited: false,
      isCalled: false,
    };
  }

  pages(): Pages {
    const pages: Pages = new Map();
    const { about } = this.#material;
    const rows = Array.from(about, ([entry, text]) => row(`[\`${entry}\`](${entry}/index.md)`, text));
    pages.set(
      'index.md',
      joined('index.md', [
        '# API reference',
        'What can be imported, by the name of its entry. Most entries have a twin in plain JavaScript, such as `bloomery/js`, which exports the same.',
        [row('entry', 'what it is for'), '|---|---|', ...rows].join('\n'),
      ]),
    );
    for (const [entry, text] of about) {
      pages.set(`${entry}/index.md`, this.#entryPage(entry, text));
      for (const declaration of exportsOf(this.#material.api, entry).filter(hasPage)) {
        const place = placeOf(entry, declaration);
        if (place === this.#places.get(declaration.id)) pages.set(place, this.#pageOf(entry, declaration));
      }
    }
    return pages;
  }
}

/** The description of each parameter that has one. */
function parametersOf({ parameters = [] }: Signature): string[] {
  return parameters
    .filter(({ comment }) => comment !== undefined)
    .map(({ name, comment }) => item(name, oneLine(textOf(comment?.summary))));
}

const hasPage = ({ kind }: Declaration): boolean => kind === KINDS.class || kind === KINDS.interface;

const titleOf = ({ name, kind }: Declaration): string => (kind === KINDS.function ? `${name}()` : name);

const asFunction = (member: Member): Member => ({
  ...member,
  code: member.code.replaceAll(new RegExp(`^${member.key}(?=[<(])`, 'gm'), `function ${member.key}`),
});

const slug = (title: string): string => new GithubSlugger().slug(title);

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

/** All pages of the reference, as Markdown, by their paths below its folder. */
export function pagesOf(material: Material): ReadonlyMap<string, string> {
  return new Reference(material).pages();
}
