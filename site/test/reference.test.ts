// The reference, made from a package of a few declarations.

import { describe, expect, it } from 'vitest';
import { examplesIn } from '../tools/reference/examples.ts';
import { type Comment, type Declaration, KINDS, type Type } from '../tools/reference/model.ts';
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
const method = (name: string, text: string, rest: Partial<Declaration> = {}): Declaration =>
  declare(name, KINDS.method, {
    signatures: [
      {
        comment: comment(text),
        parameters: [{ name: 'key', flags: {}, type: named('Key', 7) }],
        type: simple('boolean'),
      },
    ],
    ...rest,
  });
const getter = (name: string, type: Type, rest: Partial<Declaration> = {}): Declaration =>
  declare(name, KINDS.accessor, { getSignature: { comment: comment(`The ${name}.`), type }, ...rest });

/** A class with members of its own, and with those that all have. */
const filterClass = (name: string, ...own: Declaration[]): Declaration =>
  declare(name, KINDS.class, {
    comment: comment(`What a ${name} is.`),
    children: [
      declare('constructor', KINDS.constructor, {
        signatures: [
          {
            comment: comment('Makes one.', ['@throws', 'TypeError | RangeError if it is wrong']),
            parameters: [{ name: 'options', flags: { isOptional: true }, type: named('Options', 8) }],
            type: named(name),
          },
        ],
      }),
      getter('kind', literal(name)),
      getter('kind', simple('string'), { flags: { isStatic: true, isInherited: true } }),
      getter('[toStringTag]', simple('string'), { flags: { isInherited: true } }),
      method('toJSON', 'Always throws: there is no JSON.', { flags: { isInherited: true } }),
      method('stack', 'Of an error.', { inheritedFrom: { name: 'Error.stack' } }),
      method('add', 'Adds a key. And more.', { flags: { isInherited: true } }),
      ...own,
    ],
  });

const rest = ['B', 'C', 'D'].map((name) => filterClass(name));
const project = {
  children: [
    declare('bloomery', KINDS.module, {
      children: [
        filterClass(
          'A',
          method('remove', 'Removes a | b.', { flags: { isInherited: true } }),
          getter('hashes', simple('number')),
        ),
        ...rest,
        declare('Key', KINDS.typeAlias, {
          id: 7,
          comment: comment('A key.'),
          type: { type: 'union', types: [simple('string'), named('Uint8Array')] },
        }),
        declare('Options', KINDS.typeAlias, {
          id: 8,
          comment: comment('The options.'),
          type: { type: 'intersection', types: [named('Promised'), named('Without', undefined, literal('bits'))] },
        }),
      ],
    }),
    declare('bloomery/more', KINDS.module, {
      children: [
        declare('count', KINDS.function, {
          signatures: [
            {
              comment: comment('Counts.', ['@returns', 'a number']),
              parameters: [
                { name: 'filter', flags: {}, type: named('A'), comment: comment('which one') },
                { name: 'keys', flags: { isRest: true }, type: { type: 'array', elementType: named('Key', 7) } },
              ],
              type: simple('number'),
            },
          ],
        }),
        declare('Key', KINDS.reference, { target: 7 }),
      ],
    }),
    declare('inner', KINDS.module, {
      children: [
        declare('Promised', KINDS.interface, {
          children: [
            declare('capacity', KINDS.property, { type: simple('number'), comment: comment('How many keys.') }),
          ],
        }),
      ],
    }),
  ],
};
const guide = "# Guide\n\n```sh\nnpx x\n```\n\n## Use `A`\n\n```ts\nimport { A } from 'bloomery';\n\nnew A();\n```\n";
const pages = pagesOf({
  project,
  about: new Map([
    ['bloomery', 'The first.'],
    ['bloomery/more', 'The second.'],
  ]),
  examples: examplesIn('docs/guide.md', guide),
  repository: '../../..',
  inner: 'inner',
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
  const arrow: Type = {
    type: 'reflection',
    declaration: declare('', 0, { signatures: [{ parameters: [], type: simple('void') }] }),
  };

  it.each<[Type, string]>([
    [{ type: 'array', elementType: { type: 'union', types: [simple('string'), literal('a')] } }, "(string | 'a')[]"],
    [
      { type: 'typeOperator', operator: 'readonly', target: { type: 'array', elementType: arrow } },
      'readonly (() => void)[]',
    ],
    [{ type: 'union', types: [arrow, simple('undefined')] }, '(() => void) | undefined'],
    [
      {
        type: 'tuple',
        elements: [{ type: 'namedTupleMember', name: 'a', isOptional: true, element: simple('number') }],
      },
      '[a?: number]',
    ],
    [{ type: 'indexedAccess', objectType: named('C'), indexType: literal('prototype') }, "C['prototype']"],
    [{ type: 'query', queryType: named('A') }, 'typeof A'],
    [named('Map', undefined, simple('string'), named('A')), 'Map<string, A>'],
    [
      {
        type: 'conditional',
        checkType: named('K'),
        extendsType: { type: 'inferred', name: 'O' },
        trueType: named('O'),
        falseType: simple('never'),
      },
      'K extends infer O\n  ? O\n  : never',
    ],
  ])('are written as TypeScript: %#', (type, text) => {
    expect(typeText(types, type)).toBe(text);
  });

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
