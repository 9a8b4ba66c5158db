// The model of the public API, as typedoc writes it: what docs/api.md and the reference of the site are made of.

/** Kinds of declarations, by typedoc's numbers. */
export const KINDS = {
  function: 64,
  class: 128,
  interface: 256,
  constructor: 512,
  typeAlias: 2_097_152,
} as const;

/** A part of a comment, as it was written. */
interface CommentPart {
  readonly text: string;
}

export interface Comment {
  readonly summary: readonly CommentPart[];
  readonly blockTags?: readonly { readonly tag: string; readonly content: readonly CommentPart[] }[];
}

export interface Parameter {
  readonly name: string;
  readonly flags: { readonly isOptional?: boolean; readonly isRest?: boolean };
  readonly comment?: Comment;
  readonly type: Type;
}

export interface TypeParameter {
  readonly name: string;
  readonly type?: Type;
  readonly default?: Type;
}

export interface Signature {
  readonly comment?: Comment;
  readonly parameters?: readonly Parameter[];
  readonly typeParameters?: readonly TypeParameter[];
  readonly type: Type;
}

export interface Declaration {
  readonly id: number;
  readonly name: string;
  readonly kind: number;
  readonly flags: {
    readonly isStatic?: boolean;
    readonly isReadonly?: boolean;
    readonly isOptional?: boolean;
    readonly isInherited?: boolean;
    /** Whether it stands in declarations of TypeScript or Node: what every error has. */
    readonly isExternal?: boolean;
  };
  readonly comment?: Comment;
  readonly children?: readonly Declaration[];
  readonly signatures?: readonly Signature[];
  readonly getSignature?: Signature;
  readonly setSignature?: Signature;
  readonly typeParameters?: readonly TypeParameter[];
  readonly type?: Type;
  /** What a declaration of the kind `reference` refers to. */
  readonly target?: number;
}

export interface ReferenceType {
  readonly type: 'reference';
  readonly name: string;
  /** The number of a declaration, if the type is exported. */
  readonly target?: unknown;
  readonly typeArguments?: readonly Type[];
  readonly refersToTypeParameter?: boolean;
}

export type Type =
  | ReferenceType
  | { readonly type: 'intrinsic' | 'unknown' | 'inferred'; readonly name: string }
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  | { readonly type: 'union' | 'intersection'; readonly types: readonly Type[] }
  | { readonly type: 'array'; readonly elementType: Type }
  | { readonly type: 'tuple'; readonly elements: readonly Type[] }
  | { readonly type: 'namedTupleMember'; readonly name: string; readonly isOptional: boolean; readonly element: Type }
  | { readonly type: 'typeOperator'; readonly operator: string; readonly target: Type }
  | { readonly type: 'indexedAccess'; readonly objectType: Type; readonly indexType: Type }
  | { readonly type: 'query'; readonly queryType: Type }
  | {
      readonly type: 'conditional';
      readonly checkType: Type;
      readonly extendsType: Type;
      readonly trueType: Type;
      readonly falseType: Type;
    }
  | { readonly type: 'reflection'; readonly declaration: Declaration };

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
    .map((each) => all.get(each.target ?? each.id) ?? each)
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
