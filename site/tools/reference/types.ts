// Writes types and signatures as TypeScript.

import type {
  Declaration,
  Parameter,
  ReferenceType,
  Signature,
  Type,
  TypeParameter,
} from '../../../tools/api/model.ts';

/** The most characters of a line of code, which fits beside the contents. */
const WIDTH = 88;

/** The declaration to show in place of a type's name; undefined for a type that stays as it is. */
export type Inlined = (type: ReferenceType) => Declaration | undefined;

/** Refuses options that belong to another form, and tells readers nothing. */
const isRefusal = (type: Type): boolean => type.type === 'reference' && type.name === 'Without';

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/**
 * A list in brackets: in one line if it fits, otherwise with a line for each item.
 *
 * @param taken the number of characters that stand before and after it
 */
function bracketed(open: string, items: readonly string[], close: string, separator = ',', taken = 0): string {
  const padding = open === '{' ? ' ' : '';
  const line = `${open}${padding}${items.join(`${separator} `)}${padding}${close}`;
  if (items.length === 0) return open + close;
  if (taken + line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `  ${indented(item)}${separator}\n`).join('')}${close}`;
}

/** Types that need parentheses where they stand in another one, as calls do. */
const OPEN: readonly string[] = ['union', 'intersection', 'conditional', 'typeOperator'];

const isOpen = (type: Type): boolean =>
  OPEN.includes(type.type) || (type.type === 'reflection' && type.declaration.signatures !== undefined);

/** Writes types, and keeps what it meets in them, in this order. */
export class TypeWriter {
  /** The named types. */
  readonly references: ReferenceType[] = [];
  /** The properties of objects. */
  readonly properties: Declaration[] = [];
  readonly #inlined: Inlined;

  constructor(inlined: Inlined) {
    this.#inlined = inlined;
  }

  #property({ name, flags, type, signatures, getSignature }: Declaration): string {
    const [signature] = signatures ?? [];
    if (signature !== undefined) return `${name}${this.signature(signature)}`;
    return `${name}${flags.isOptional ? '?' : ''}: ${this.text(type ?? getSignature?.type)}`;
  }

  #parameter({ name, flags, type }: Parameter): string {
    return `${flags.isRest ? '...' : ''}${name}${flags.isOptional ? '?' : ''}: ${this.text(type)}`;
  }

  typeParameters(list: readonly TypeParameter[] = []): string {
    const texts = list.map(({ name, type, default: standard }) => {
      const bound = type === undefined ? '' : ` extends ${this.text(type)}`;
      return `${name}${bound}${standard === undefined ? '' : ` = ${this.text(standard)}`}`;
    });
    return texts.length === 0 ? '' : `<${texts.join(', ')}>`;
  }

  /**
   * `(key: Key): boolean`, with type parameters before it. `this`, which nobody passes, is left out.
   *
   * @param before the number of characters that stand before it
   */
  signature(signature: Signature, arrow = ': ', before = 0): string {
    const given = this.typeParameters(signature.typeParameters);
    const passed = (signature.parameters ?? []).filter(({ name }) => name !== 'this');
    const parameters = passed.map((parameter) => this.#parameter(parameter));
    const result = arrow + this.text(signature.type);
    return given + bracketed('(', parameters, ')', ',', before + given.length + result.length) + result;
  }

  #object({ children = [], signatures }: Declaration): string {
    const [signature] = signatures ?? [];
    if (children.length === 0 && signature !== undefined) return this.signature(signature, ' => ');
    this.properties.push(...children);
    const texts = children.map((child) => this.#property(child));
    return bracketed('{', texts, '}', ';');
  }

  #closed(type: Type): string {
    return isOpen(type) ? `(${this.text(type)})` : this.text(type);
  }

  #union(parts: readonly Type[]): string {
    const texts = parts.map((part) => (part.type === 'reflection' ? this.#closed(part) : this.text(part)));
    const line = texts.join(' | ');
    if (line.length <= WIDTH && !line.includes('\n')) return line;
    return texts.map((text) => `\n  | ${indented(text)}`).join('');
  }

  text(type: Type | undefined): string {
    if (type === undefined) return 'unknown';
    switch (type.type) {
      case 'reference': {
        const inlined = this.#inlined(type);
        if (inlined !== undefined) return inlined.type ? this.text(inlined.type) : this.#object(inlined);
        this.references.push(type);
        const given = (type.typeArguments ?? []).map((each) => this.text(each));
        return given.length === 0 ? type.name : `${type.name}<${given.join(', ')}>`;
      }
      case 'inferred':
        return `infer ${type.name}`;
      case 'literal':
        return typeof type.value === 'string' ? `'${type.value}'` : String(type.value);
      case 'union':
        return this.#union(type.types);
      case 'intersection':
        return type.types
          .filter((part) => !isRefusal(part))
          .map((part) => (part.type === 'union' ? this.#closed(part) : this.text(part)))
          .join(' & ');
      case 'array':
        return `${this.#closed(type.elementType)}[]`;
      case 'tuple':
        return `[${(type.elements ?? []).map((each) => this.text(each)).join(', ')}]`;
      case 'namedTupleMember':
        return `${type.name}${type.isOptional ? '?' : ''}: ${this.text(type.element)}`;
      case 'typeOperator':
        return `${type.operator} ${this.text(type.target)}`;
      case 'indexedAccess':
        return `${this.#closed(type.objectType)}[${this.text(type.indexType)}]`;
      case 'query':
        return `typeof ${this.text(type.queryType)}`;
      case 'conditional': {
        const test = `${this.#closed(type.checkType)} extends ${this.#closed(type.extendsType)}`;
        const [yes, no] = [this.text(type.trueType), this.text(type.falseType)];
        return `${test}\n  ? ${yes}\n  : ${indented(no).trimStart()}`;
      }
      case 'reflection':
        return this.#object(type.declaration);
      case 'intrinsic':
      case 'unknown':
        return type.name;
      default:
        throw new Error(`the reference cannot write a type of the kind ${type.type}`);
    }
  }
}
