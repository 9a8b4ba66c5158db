// The reference, made from a package of a few declarations.

import { describe, expect, it } from 'vitest';
import { type Comment, type Declaration, KINDS, type Type } from '../../tools/api/model.ts';
import { examplesIn } from '../tools/reference/examples.ts';
import { pagesOf } from '../tools/reference/pages.ts';
import { signatureText, type Types, typeText } from '../tools/reference/types.ts';

const named = (name: string, target?: number, ...typeArguments: Type[]): Type => ({
  type: 'reference',
  name,
  ...(target !== undefined && { target }),
  ...(typeArguments.length > 0 && { typeArguments }),
});
const simple = (name: string): Type => ({ type: 'intrinsic', name });
const literal = (value: string): Type => ({ type: 'literal', value });
const comment = (summary: string, ...tags: [tag: string, text: string][]): Comment => ({
  summary: [{ text: summary }],
  blockTags: tags.map(([tag, text]) => ({ tag, content: [{ text }] })),
});

let ids = 100;
const declare = (name: string, kind: number, rest: Partial<Declaration> = {}): Declaration => ({
  id: ids++,
  name,
  kind,
  flags: {},
  ...rest,
});
const inherited = { flags: { isInherited: true } };
const method = (name: string, text: string, rest: Partial<Declaration> = inherited): Declaration => {
  const parameters = [{ name: 'key', flags: {}, type: named('Key', 7) }];
  const signatures = [{ comment: comment(text), parameters, type: simple('boolean') }];
  return declare(name, KINDS.method, { signatures, ...rest });
};
const getter = (name: string, type: Type, rest: Partial<Declaration> = {}): Declaration =>
  declare(name, KINDS.accessor, { getSignature: { comment: comment(`The ${name}.`), type }, ...rest });

/** A class with members of its own, and with those that all have. */
function filterClass(name: string, ...own: Declaration[]): Declaration {
  const constructed = {
    comment: comment('Makes one.', ['@throws', 'TypeError | RangeError if it is wrong']),
    parameters: [{ name: 'options', flags: { isOptional: true }, type: named('Options', 8) }],
    type: named(name),
  };
  return declare(name, KINDS.class, {
    comment: comment(`What a ${name} is.`),
    children: [
      declare('constructor', KINDS.constructor, { signatures: [constructed] }),
      getter('kind', literal(name)),
      getter('kind', simple('string'), { flags: { isStatic: true, isInherited: true } }),
      getter('[toStringTag]', simple('string'), inherited),
      method('toJSON', 'Always throws: there is no JSON.'),
      method('stack', 'Of an error.', { flags: { isExternal: true } }),
      method('add', 'Adds a key. And more.'),
      ...own,
    ],
  });
}

const key: Type = { type: 'union', types: [simple('string'), named('Uint8Array')] };
const options: Type = {
  type: 'intersection',
  types: [named('Promised'), named('Without', undefined, literal('bits'))],
};
const counting = {
  comment: comment('Counts.', ['@returns', 'a number']),
  parameters: [
    { name: 'filter', flags: {}, type: named('A'), comment: comment('which one') },
    { name: 'keys', flags: { isRest: true }, type: { type: 'array' as const, elementType: named('Key', 7) } },
  ],
  type: simple('number'),
};
const capacity = declare('capacity', KINDS.property, { type: simple('number'), comment: comment('How many keys.') });
const module = (name: string, ...children: Declaration[]): Declaration => declare(name, KINDS.module, { children });
const api = {
  children: [
    module(
      'bloomery',
      filterClass('A', method('remove', 'Removes a | b.'), getter('hashes', simple('number'))),
      ...['B', 'C', 'D'].map((name) => filterClass(name)),
      declare('Key', KINDS.typeAlias, { id: 7, comment: comment('A key.'), type: key }),
      declare('Options', KINDS.typeAlias, { id: 8, comment: comment('The options.'), type: options }),
    ),
    module(
      'bloomery/more',
      declare('count', KINDS.function, { signatures: [counting] }),
      declare('Key', KINDS.reference, { target: 7 }),
    ),
    module('inner', declare('Promised', KINDS.interface, { children: [capacity] })),
  ],
};
const guide = "# Guide\n\n```sh\nnpx x\n```\n\n## Use `A`\n\n```ts\nimport { A } from 'bloomery';\n\nnew A();\n```\n";
const pages = pagesOf({
  api,
  about: new Map(Object.entries({ bloomery: 'The first.', 'bloomery/more': 'The second.' })),
  examples: examplesIn('docs/guide.md', guide),
  repository: '../../..',
});
const page = pages.get('bloomery/classes/A.md') ?? '';

describe('the page of a class', () => {
  it('has what it is for, usage, and a table of members by task, before the members', () => {
    const places = ['What a A is.', 'new A();', '## Members', '**Make a filter**', '**Add keys**', '### constructor'];
    const found = places.map((text) => page.indexOf(text));
    expect(found.every((at) => at >= 0)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(page).toContain('More of this: [Use A](../../../../../docs/guide.md#use-a).');
  });

  it('has a sentence for each member in the table', () => {
    expect(page).toContain('| [`add(key)`](#add) | Adds a key. |');
    expect(page).toContain(String.raw`| [${'`remove(key)`'}](#remove) | Removes a \| b. |`);
  });

  it('folds members that others have with the same text, and leaves its own open', () => {
    const [open = '', folded = ''] = page.split('<details>');
    expect(open).toContain('### remove()');
    expect(open).toContain("### kind\n\n```dts\nreadonly kind: 'A';\n```");
    expect(open).not.toContain('### add()');
    expect(folded).toContain('### add()');
    expect(folded).toContain('### static kind\n\n```dts\nstatic readonly kind: string;\n```');
    expect(folded.trimEnd().endsWith('</details>')).toBe(true);
  });

  it('hides what only runtimes call, what always throws, and what every error has', () => {
    expect(page).not.toMatch(/toStringTag|toJSON|stack/);
  });
});

describe('the page of an entry', () => {
  const first = pages.get('bloomery/index.md') ?? '';
  const second = pages.get('bloomery/more/index.md') ?? '';

  it('lists what it exports, also what is explained elsewhere', () => {
    expect(first).toContain('| [`A`](classes/A.md) | What a A is. |');
    expect(second).toContain('| [`Key`](../index.md#key) | A key. |');
    expect(second).not.toContain('### Key');
  });

  it('has functions with their parameters', () => {
    expect(second).toContain('```dts\nfunction count(filter: A, ...keys: Key[]): number;\n```\n\nCounts.');
    expect(second).toContain('- `filter`: which one\n\n**Returns** a number');
  });

  it('shows types that are not exported by what they are', () => {
    expect(first).toContain(
      'type Options = { capacity: number };\n```\n\nThe options.\n\n- `capacity`: How many keys.',
    );
  });
});

describe('types in the reference', () => {
  const types: Types = { inlined: () => undefined };
  const signatures = [{ parameters: [], type: simple('void') }];
  const arrow: Type = { type: 'reflection', declaration: declare('', 0, { signatures }) };
  const arrowOrNothing: Type = { type: 'union', types: [arrow, simple('undefined')] };
  const arrays: Type = { type: 'typeOperator', operator: 'readonly', target: { type: 'array', elementType: arrow } };
  const stringOrA: Type = { type: 'union', types: [simple('string'), literal('a')] };
  const member: Type = { type: 'namedTupleMember', name: 'a', isOptional: true, element: simple('number') };
  const inferred: Type = { type: 'inferred', name: 'O' };
  const branches = { trueType: named('O'), falseType: simple('never') };

  it.each<[string, Type]>([
    ["(string | 'a')[]", { type: 'array', elementType: stringOrA }],
    ['readonly (() => void)[]', arrays],
    ['(() => void) | undefined', arrowOrNothing],
    ['[a?: number]', { type: 'tuple', elements: [member] }],
    ["C['prototype']", { type: 'indexedAccess', objectType: named('C'), indexType: literal('prototype') }],
    ['typeof A', { type: 'query', queryType: named('A') }],
    ['Map<string, A>', named('Map', undefined, simple('string'), named('A'))],
    [
      'K extends infer O\n  ? O\n  : never',
      { type: 'conditional', checkType: named('K'), extendsType: inferred, ...branches },
    ],
  ])('are written as TypeScript: %s', (text, type) => expect(typeText(types, type)).toBe(text));

  it('that are too long for a line take a line for each part', () => {
    const long = Array.from({ length: 3 }, (_, i) => literal(`${i}`.repeat(40)));
    expect(typeText(types, { type: 'union', types: long })).toMatch(/^(\n {2}\| '\d{40}'){3}$/);
  });

  it('of calls leave out this, and take a line for each parameter if they are long', () => {
    const parameter = (name: string) => ({ name, flags: {}, type: named('A'.repeat(20)) });
    const call = (...names: string[]) => ({ parameters: names.map(parameter), type: simple('void') });
    expect(signatureText(types, call('this', 'a', 'b'))).toBe(`(a: ${'A'.repeat(20)}, b: ${'A'.repeat(20)}): void`);
    expect(signatureText(types, call('a', 'b', 'c', 'd'))).toMatch(/^\((\n {2}\w: A{20},){4}\n\): void$/);
    expect(signatureText(types, call('a', 'b'), ': ', 40)).toMatch(/^\((\n {2}\w: A{20},){2}\n\): void$/);
  });
});
