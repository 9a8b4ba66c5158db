import { describe, expect, it } from 'vitest';
import type { Signature, Type } from '../../tools/api/model.ts';
import { about, readApi } from '../../tools/api/read.ts';
import { install } from '../../tools/install.ts';
import { examplesIn } from '../tools/reference/examples.ts';
import { pagesOf } from '../tools/reference/pages.ts';
import { TypeWriter } from '../tools/reference/types.ts';

install('tools/api');
const guide =
  "# Guide\n\n```sh\nnpx x\n```\n\n## Use `A`\n\n```ts\nimport { CuckooFilter } from 'bloomery/cuckoo';\n\nnew A();\n```\n";
const pages = pagesOf({
  api: readApi(),
  about: new Map([...about, ['bloomery/views', 'One | two.']]),
  examples: examplesIn('docs/guide.md', guide),
  repository: '../../..',
});
const pageAt = (path: string): string => pages.get(`bloomery/${path}.md`) ?? '';

describe('the page of a class', () => {
  const page = pageAt('cuckoo/classes/CuckooFilter');

  it('has what it is for, usage, and a table of members by task, before the members', () => {
    const members = ['## Members', '**Make a filter**', '**Add keys**', '### constructor'];
    const places = ['A filter that can remove keys', ...members].map((text) => page.indexOf(text));
    expect(places).toEqual([...places].filter((at) => at >= 0).sort((a, b) => a - b));
    // Its comment has code of its own.
    expect(page).toContain('\n\nMore of this: [Use A](../../../../../../docs/guide.md#use-a).');
    expect(page).not.toContain('new A();');
    expect(page).toMatch(/^\| \[`removeMany\(keys, out\)`\]\(#removemany\) \| [^|]*\. \|$/m);
  });

  it('folds members that others have with the same text, and leaves its own open', () => {
    const [open = '', folded = ''] = page.split('<details>');
    expect(open).toContain('### fingerprintBits');
    expect(open).toContain('\n\n**Types** [`CuckooFilterOptions`](../index.md#cuckoofilteroptions)');
    expect(open).toContain("### kind\n\n```dts\nreadonly kind: 'cuckoo';\n```");
    expect(folded).toContain('### hasMany()');
    expect(folded.trimEnd().endsWith('</details>')).toBe(true);
  });

  it('hides what only runtimes call, what always throws, and what every error has', () => {
    expect([...pages.values()].join('\n')).not.toMatch(/^### (?:static )?(?:\[|stack)/m);
    for (const [path, text] of pages) if (/Error\.md$/.test(path)) expect(text, path).not.toMatch(/^### message/m);
    expect(page).not.toContain('toJSON');
    expect(pageAt('classes/FilterMemoryError')).toContain('### byteLength');
  });
});

describe('the page of an entry', () => {
  it('lists what it exports, also what is explained elsewhere', () => {
    expect(pageAt('index')).toContain('| [`FilterFullError`](classes/FilterFullError.md) |');
    expect(pageAt('cuckoo/index')).toContain('| [`FilterFullErrorCode`](../index.md#filterfullerrorcode) |');
    expect(pageAt('cuckoo/index')).not.toContain('### FilterFullErrorCode');
    const example = 'new A();\n```\n\nMore of this: [Use A](../../../../../docs/guide.md#use-a).';
    expect(pageAt('cuckoo/index')).toContain(example);
    expect(pages.get('index.md')).toContain('| [`bloomery/views`](bloomery/views/index.md) | One \\| two. |');
  });

  it('has functions with their parameters', () => {
    const code = 'function optimalCuckooFingerprintBits(capacity: number, errorRate: number): number;';
    expect(pageAt('cuckoo/index')).toContain(`\`\`\`dts\n${code}\n\`\`\`\n\nThe smallest`);
    const parameters = /^- `capacity`: the number .*\n- `errorRate`: .*\n\n\*\*Returns\*\* 7 … 32$/m;
    expect(pageAt('cuckoo/index')).toMatch(parameters);
  });

  it('shows types that are not exported by what they are', () => {
    const options = '  | { capacity: number; errorRate?: number; seed?: number }\n  | { buckets: number;';
    expect(pageAt('cuckoo/index')).toContain(`type CuckooFilterOptions =\n${options}`);
    expect(pageAt('cuckoo/index')).toContain('\n- `capacity`: The number of distinct keys to hold');
  });
});

/** A type that has only what is read of it. */
const typeOf = (parts: { readonly type: Type['type']; readonly [name: string]: unknown }) => parts as object as Type;
const named = (name: string, ...typeArguments: Type[]): Type =>
  typeOf({ type: 'reference', name, ...(typeArguments.length > 0 && { typeArguments }) });
const simple = (name: string): Type => typeOf({ type: 'intrinsic', name });
const literal = (value: string): Type => ({ type: 'literal', value });

describe('types in the reference', () => {
  const writer = new TypeWriter(() => undefined);
  const signatures = [{ parameters: [], type: simple('void') }];
  const arrow = typeOf({ type: 'reflection', declaration: { id: 0, name: '', kind: 0, flags: {}, signatures } });
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
    ['typeof A', typeOf({ type: 'query', queryType: named('A') })],
    ['Map<string, A>', named('Map', simple('string'), named('A'))],
    [
      'K extends infer O\n  ? O\n  : never',
      { type: 'conditional', checkType: named('K'), extendsType: inferred, ...branches },
    ],
  ])('are written as TypeScript: %s', (text, type) => expect(writer.text(type)).toBe(text));

  it('of kinds that nothing here writes are refused', () => {
    expect(() => writer.text(typeOf({ type: 'templateLiteral' }))).toThrow('a type of the kind templateLiteral');
  });

  it('that are too long for a line take a line for each part', () => {
    const long = Array.from({ length: 3 }, (_, i) => literal(`${i}`.repeat(40)));
    expect(writer.text({ type: 'union', types: long })).toMatch(/^(\n {2}\| '\d{40}'){3}$/);
  });

  it('of calls leave out this, and take a line for each parameter if they are long', () => {
    const parameter = (name: string) => ({ name, flags: {}, type: named('A'.repeat(20)) });
    const call = (...names: string[]) =>
      ({ parameters: names.map(parameter), type: simple('void') }) as object as Signature;
    expect(writer.signature(call('this', 'a', 'b'))).toBe(`(a: ${'A'.repeat(20)}, b: ${'A'.repeat(20)}): void`);
    expect(writer.signature(call('a', 'b', 'c', 'd'))).toMatch(/^\((\n {2}\w: A{20},){4}\n\): void$/);
    expect(writer.signature(call('a', 'b'), ': ', 40)).toMatch(/^\((\n {2}\w: A{20},){2}\n\): void$/);
  });
});
