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

/** What is known of types that are not exported. */
export interface Types {
  /** The declaration to show in place of a type's name; undefined for a type that stays as it is. */
  inlined(type: ReferenceType): Declaration | undefined;
}

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

function propertyText(types: Types, { name, flags, type, signatures, getSignature }: Declaration): string {
  const [signature] = signatures ?? [];
  if (signature !== undefined) return `${name}${signatureText(types, signature)}`;
  const shown = type ?? getSignature?.type;
  return `${name}${flags.isOptional ? '?' : ''}: ${shown === undefined ? 'unknown' : typeText(types, shown)}`;
}

function parameterText(types: Types, { name, flags, type }: Parameter): string {
  return `${flags.isRest ? '...' : ''}${name}${flags.isOptional ? '?' : ''}: ${typeText(types, type)}`;
}

export function typeParametersText(types: Types, list: readonly TypeParameter[] = []): string {
  const texts = list.map(({ name, type, default: standard }) => {
    const bound = type === undefined ? '' : ` extends ${typeText(types, type)}`;
    return `${name}${bound}${standard === undefined ? '' : ` = ${typeText(types, standard)}`}`;
  });
  return texts.length === 0 ? '' : `<${texts.join(', ')}>`;
}

/**
 * `(key: Key): boolean`, with type parameters before it. `this`, which nobody passes, is left out.
 *
 * @param before the number of characters that stand before it
 */
export function signatureText(types: Types, signature: Signature, arrow = ': ', before = 0): string {
  const passed = (signature.parameters ?? []).filter(({ name }) => name !== 'this');
  const given = typeParametersText(types, signature.typeParameters);
  const result = arrow + typeText(types, signature.type);
  const list = bracketed(
    '(',
    passed.map((parameter) => parameterText(types, parameter)),
    ')',
    ',',
    before + given.length + result.length,
  );
  return given + list + result;
}

function objectText(types: Types, { children, signatures }: Declaration): string {
  const [signature] = signatures ?? [];
  if (children === undefined && signature !== undefined) return signatureText(types, signature, ' => ');
  return bracketed(
    '{',
    (children ?? []).map((child) => propertyText(types, child)),
    '}',
    ';',
  );
}

/** In parentheses where it stands in another type. */
function closed(types: Types, type: Type): string {
  const text = typeText(types, type);
  const isOpen =
    type.type === 'union' ||
    type.type === 'intersection' ||
    type.type === 'conditional' ||
    type.type === 'typeOperator' ||
    (type.type === 'reflection' && type.declaration.signatures !== undefined);
  return isOpen ? `(${text})` : text;
}

function unionText(types: Types, parts: readonly Type[]): string {
  const texts = parts.map((part) =>
    part.type === 'reflection' && part.declaration.signatures ? closed(types, part) : typeText(types, part),
  );
  const line = texts.join(' | ');
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  return texts.map((text) => `\n  | ${indented(text)}`).join('');
}

export function typeText(types: Types, type: Type): string {
  switch (type.type) {
    case 'reference': {
      const inlined = types.inlined(type);
      if (inlined !== undefined) return inlined.type ? typeText(types, inlined.type) : objectText(types, inlined);
      const given = (type.typeArguments ?? []).map((each) => typeText(types, each));
      return given.length === 0 ? type.name : `${type.name}<${given.join(', ')}>`;
    }
    case 'inferred':
      return `infer ${type.name}`;
    case 'literal':
      return typeof type.value === 'string' ? `'${type.value}'` : String(type.value);
    case 'union':
      return unionText(types, type.types);
    case 'intersection':
      return type.types
        .filter((part) => !isRefusal(part))
        .map((part) => (part.type === 'union' ? closed(types, part) : typeText(types, part)))
        .join(' & ');
    case 'array':
      return `${closed(types, type.elementType)}[]`;
    case 'tuple':
      return `[${type.elements.map((each) => typeText(types, each)).join(', ')}]`;
    case 'namedTupleMember':
      return `${type.name}${type.isOptional ? '?' : ''}: ${typeText(types, type.element)}`;
    case 'typeOperator':
      return `${type.operator} ${typeText(types, type.target)}`;
    case 'indexedAccess':
      return `${closed(types, type.objectType)}[${typeText(types, type.indexType)}]`;
    case 'query':
      return `typeof ${typeText(types, type.queryType)}`;
    case 'conditional': {
      const test = `${closed(types, type.checkType)} extends ${closed(types, type.extendsType)}`;
      return `${test}\n  ? ${typeText(types, type.trueType)}\n  : ${indented(typeText(types, type.falseType)).trimStart()}`;
    }
    case 'reflection':
      return objectText(types, type.declaration);
    default:
      return type.name;
  }
}

function partsOf(type: Type): readonly Type[] {
  switch (type.type) {
    case 'reference':
      return type.typeArguments ?? [];
    case 'union':
    case 'intersection':
      return type.types;
    case 'array':
      return [type.elementType];
    case 'tuple':
      return type.elements;
    case 'namedTupleMember':
      return [type.element];
    case 'typeOperator':
      return [type.target];
    case 'indexedAccess':
      return [type.objectType, type.indexType];
    case 'query':
      return [type.queryType];
    case 'conditional':
      return [type.checkType, type.extendsType, type.trueType, type.falseType];
    default:
      return [];
  }
}

/** What is inside a type: named types, and properties of objects. */
export interface Inside {
  readonly references: ReferenceType[];
  readonly properties: Declaration[];
}

/** Collects what is inside a type, in the order in which it is written. */
export function insideOf(types: Types, type: Type, found: Inside = { references: [], properties: [] }): Inside {
  if (isRefusal(type)) return found;
  const object = type.type === 'reference' ? types.inlined(type) : type.type === 'reflection' && type.declaration;
  if (object) {
    found.properties.push(...(object.children ?? []));
    for (const child of object.children ?? []) if (child.type !== undefined) insideOf(types, child.type, found);
    for (const signature of object.signatures ?? []) insideSignature(types, signature, found);
    return found;
  }
  if (type.type === 'reference') found.references.push(type);
  for (const part of partsOf(type)) insideOf(types, part, found);
  return found;
}

export function insideSignature(types: Types, signature: Signature, found: Inside): Inside {
  for (const { type } of signature.typeParameters ?? []) if (type !== undefined) insideOf(types, type, found);
  for (const { type } of signature.parameters ?? []) insideOf(types, type, found);
  return insideOf(types, signature.type, found);
}
