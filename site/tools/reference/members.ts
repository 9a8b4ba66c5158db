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
  /** The signatures of which the parameters are explained; none if it is not called. */
  readonly signatures: readonly Signature[];
  /** What is inside its types. */
  readonly inside: Pick<TypeWriter, 'references' | 'properties'>;
  readonly isInherited: boolean;
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

const isCalled = ({ signatures }: Member): boolean => signatures.length > 0;

/** A member of a class or an interface, or a function or a type, which are written like one. */
export function memberOf(inlined: Inlined, declaration: Declaration, className = ''): Member {
  const { name, kind, flags, type, typeParameters, signatures = [], getSignature, setSignature } = declaration;
  const inside = new TypeWriter(inlined);
  const key = keyOf(declaration);
  const isInherited = flags.isInherited === true;
  const shared = { key, comment: commentOf(declaration), signatures, inside, isInherited };
  if (signatures.length > 0) {
    const isNew = kind === KINDS.constructor;
    const called = isNew ? `new ${className}` : key;
    const begun = kind === KINDS.function ? `function ${key}` : called;
    const names = (signatures[0]?.parameters ?? []).map((each) => each.name).filter((each) => each !== 'this');
    const lines = signatures.map((signature) => {
      const text = inside.signature(signature, ': ', key.length);
      // What `new` gives is known.
      return `${begun}${isNew ? text.slice(0, text.lastIndexOf('): ') + 1) : text};`;
    });
    const title = isNew ? key : `${key}()`;
    return { ...shared, title, use: `${called}(${names.join(', ')})`, code: lines.join('\n') };
  }
  const text = inside.text(type ?? getSignature?.type);
  if (kind === KINDS.typeAlias) {
    const given = inside.typeParameters(typeParameters);
    const code = `type ${name}${given} =${text.startsWith('\n') ? '' : ' '}${text};`;
    return { ...shared, title: key, use: key, code };
  }
  const isReadonly = flags.isReadonly === true || (getSignature !== undefined && setSignature === undefined);
  const before = `${flags.isStatic ? 'static ' : ''}${isReadonly ? 'readonly ' : ''}`;
  const code = `${before}${name}${flags.isOptional ? '?' : ''}: ${text};`;
  return { ...shared, title: key, use: key, code };
}

/** The members that readers see, in the order of their tasks. */
export function membersOf(inlined: Inlined, { name, children = [] }: Declaration): Member[] {
  const members = children.filter(isShown).map((child) => memberOf(inlined, child, name));
  const rankOf = (member: Member): number => {
    const rank = order.indexOf(member.key);
    return rank >= 0 ? rank : order.length + Number(isCalled(member));
  };
  return members.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Members by task, of tasks that have any. */
export function byTask(members: readonly Member[]): [task: string, members: Member[]][] {
  const groups = new Map<string, Member[]>([...TASKS.map(([task]) => task), FACTS, OTHERS].map((task) => [task, []]));
  for (const member of members) {
    groups.get(taskOf.get(member.key) ?? (isCalled(member) ? OTHERS : FACTS))?.push(member);
  }
  return [...groups].filter(([, group]) => group.length > 0);
}
