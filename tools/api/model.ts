// The model of the public API, as typedoc writes it: what docs/api.md and the reference of the site are made of.

import type { JSONOutput } from 'typedoc';

/** Kinds of declarations, by typedoc's numbers. */
export const KINDS = {
  function: 64,
  class: 128,
  interface: 256,
  constructor: 512,
  typeAlias: 2_097_152,
} as const;

export type Comment = JSONOutput.Comment;
export type Declaration = JSONOutput.DeclarationReflection;
export type Parameter = JSONOutput.ParameterReflection;
export type ReferenceType = JSONOutput.ReferenceType;
export type Signature = JSONOutput.SignatureReflection;
export type Type = JSONOutput.SomeType;
export type TypeParameter = JSONOutput.TypeParameterReflection;

/** What the package exports: a declaration of the kind `module` for each entry, by the name of its import. */
export interface Api {
  readonly children: readonly Declaration[];
}

const ORDER: readonly number[] = [KINDS.class, KINDS.function, KINDS.interface, KINDS.typeAlias];

/** Errors stand below what throws them. */
const rankOf = ({ name, kind }: Declaration): number => 2 * ORDER.indexOf(kind) + Number(name.endsWith('Error'));

/**
 * What an entry exports: classes, functions, interfaces, types. What another entry exports first is a mere reference
 * there, and whole here.
 *
 * @throws Error if there is no such entry
 */
export function exportsOf({ children }: Api, entry: string): Declaration[] {
  const module = children.find(({ name }) => name === entry);
  if (module === undefined) throw new Error(`the API has no entry ${entry}`);
  const all = new Map(children.flatMap((each) => each.children ?? []).map((each) => [each.id, each]));
  return (module.children ?? [])
    .map((each) => all.get('target' in each ? each.target : each.id) ?? each)
    .sort((one, other) => rankOf(one) - rankOf(other));
}

/** The text of a comment in parts. */
export function textOf(parts: Comment['summary'] = []): string {
  return parts
    .map(({ text }) => text)
    .join('')
    .trim();
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

export function firstSentence(comment: Comment | undefined): string {
  const [text = ''] = textOf(comment?.summary).split(/\n\s*\n|\n(?=```)/);
  return /^.*?\.(?= |$)/.exec(oneLine(text))?.[0] ?? oneLine(text);
}

/** The comment of a declaration; of a function, that of the first call that has one. */
export function commentOf({ comment, signatures = [], getSignature }: Declaration): Comment | undefined {
  const ofCalls = signatures.map((signature) => signature.comment).find((each) => each !== undefined);
  return comment ?? ofCalls ?? getSignature?.comment;
}

/** Its name, with `static` before it: no two members of a class have the same. */
export function keyOf({ name, flags }: Declaration): string {
  return `${flags.isStatic ? 'static ' : ''}${name}`;
}

/** What the comment of a member says that is there to be refused. */
const REFUSES = 'Always throws';

/**
 * Whether readers see a member. They do not see those that only a runtime calls, such as `[toStringTag]`, those of every
 * `Error`, those that always throw, and constructors of classes that only functions make.
 */
export function isShown({ name, kind, flags, signatures = [] }: Declaration): boolean {
  const [signature] = signatures;
  if (name.startsWith('[') || flags.isExternal) return false;
  if (signature?.comment?.summary[0]?.text.startsWith(REFUSES)) return false;
  return kind !== KINDS.constructor || signature?.comment !== undefined;
}
