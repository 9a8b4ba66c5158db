// What the reference reads of the JSON that typedoc writes.

/** Kinds of declarations, by typedoc's numbers. */
export const KINDS = {
  module: 2,
  function: 64,
  class: 128,
  interface: 256,
  constructor: 512,
  property: 1024,
  method: 2048,
  accessor: 262_144,
  typeAlias: 2_097_152,
  reference: 4_194_304,
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
  };
  readonly comment?: Comment;
  readonly children?: readonly Declaration[];
  readonly signatures?: readonly Signature[];
  readonly getSignature?: Signature;
  readonly setSignature?: Signature;
  readonly typeParameters?: readonly TypeParameter[];
  readonly type?: Type;
  /** The class or interface from which it is inherited, with the name of the member. */
  readonly inheritedFrom?: { readonly name: string };
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

export interface Project {
  readonly children: readonly Declaration[];
}
