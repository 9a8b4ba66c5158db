// The members of a class or an interface, as readers see them.

import {
  type Comment,
  commentOf,
  type Declaration,
  isShown,
  KINDS,
  keyOf,
  type Signature,
} from '../../../tools/api/model.ts';
import { type Inlined, TypeWriter } from './types.ts';

export interface Member {
  /** Its name, with `static` before it: no two members of a class have the same. */
  readonly key: string;
  /** The heading above it: its key, with parentheses if it is called. */
  readonly title: string;
  /** How it is written in a program: with the names of its parameters. */
  readonly use: string;
  /** Its declarations. */
  readonly code: string;
  readonly comment: Comment | undefined;
  /** The signatures of which the parameters are explained. */
  readonly signatures: readonly Signature[];
  /** What is inside its types. */
  readonly inside: Pick<TypeWriter, 'references' | 'properties'>;
  readonly isInherited: boolean;
  readonly isCalled: boolean;
}

/** Tasks in which members are used, in the order in which readers meet them, and what they are for. */
const TASKS: readonly (readonly [task: string, keys: string])[] = [
  [
    'Make a filter',
    `constructor, static from, static fromFilter, static fromLocal, static open, static attach, static sizeFor,
    static prepare, clone`,
  ],
  ['Add keys', 'add, addMany, dedupe'],
  ['Look keys up', 'has, hasMany, pick, omit, get, countOf, labelOf, labelsOf'],
  ['Remove keys', 'remove, removeMany, exclude, clear, rotate'],
  ['Combine filters', 'union, intersection, merge, equals, estimateUnion, estimateIntersection'],
  [
    'Save and load',
    `toBytes, toChunks, static fromBytes, static fromChunks, toJSON, static fromJSON, toBitset, static fromBitset,
    toScanDump, toBloomFilter, toFilter, toLocal, handle`,
  ],
  [
    'Watch it',
    `fillRatio, estimateCount, estimateErrorRate, count, removedCount, needsRebuild, rotations, earlyRotations`,
  ],
  ['Free it', 'dispose, release, delete, static delete'],
];
const FACTS = 'Know its parameters';
const OTHERS = 'Do more';

const taskOf = new Map(
  TASKS.flatMap(([task, keys]) => keys.split(',').map((key) => [key.trim().replaceAll(/\s+/g, ' '), task] as const)),
);
const order = [...taskOf.keys()];

function calledMember(inside: TypeWriter, declaration: Declaration, className: string): Omit<Member, 'isInherited'> {
  const { name, kind, signatures = [] } = declaration;
  const isNew = kind === KINDS.constructor;
  const key = keyOf(declaration);
  const called = isNew ? `new ${className}` : name;
  const names = (signatures[0]?.parameters ?? []).map((parameter) => parameter.name).filter((each) => each !== 'this');
  const lines = signatures.map((signature) => {
    const text = inside.signature(signature, ': ', key.length);
    // What `new` gives is known.
    return isNew ? `${called}${text.slice(0, text.lastIndexOf('): ') + 1)};` : `${key}${text};`;
  });
  return {
    key,
    title: isNew ? key : `${key}()`,
    use: `${isNew ? called : key}(${names.join(', ')})`,
    code: lines.join('\n'),
    comment: commentOf(declaration),
    signatures,
    inside,
    isCalled: true,
  };
}

function valueMember(inside: TypeWriter, declaration: Declaration): Omit<Member, 'isInherited'> {
  const { name, flags, type, getSignature, setSignature } = declaration;
  const key = keyOf(declaration);
  const isReadonly = flags.isReadonly === true || (getSignature !== undefined && setSignature === undefined);
  const text = inside.text(type ?? getSignature?.type);
  const before = `${flags.isStatic ? 'static ' : ''}${isReadonly ? 'readonly ' : ''}`;
  return {
    key,
    title: key,
    use: key,
    code: `${before}${name}${flags.isOptional ? '?' : ''}: ${text};`,
    comment: commentOf(declaration),
    signatures: [],
    inside,
    isCalled: false,
  };
}

export function memberOf(inlined: Inlined, declaration: Declaration, className: string): Member {
  const inside = new TypeWriter(inlined);
  const isInherited = declaration.flags.isInherited === true;
  const made = declaration.signatures ? calledMember(inside, declaration, className) : valueMember(inside, declaration);
  return { ...made, isInherited };
}

/** The members that readers see, in the order of their tasks. */
export function membersOf(inlined: Inlined, { name, children = [] }: Declaration): Member[] {
  const members = children.filter(isShown).map((child) => memberOf(inlined, child, name));
  const rankOf = ({ key, isCalled }: Member): number => {
    const rank = order.indexOf(key);
    return rank >= 0 ? rank : order.length + Number(isCalled);
  };
  return members.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Members by task, of tasks that have any. */
export function byTask(members: readonly Member[]): [task: string, members: Member[]][] {
  const groups = new Map<string, Member[]>([...TASKS.map(([task]) => task), FACTS, OTHERS].map((task) => [task, []]));
  for (const member of members) {
    groups.get(taskOf.get(member.key) ?? (member.isCalled ? OTHERS : FACTS))?.push(member);
  }
  return [...groups].filter(([, group]) => group.length > 0);
}
