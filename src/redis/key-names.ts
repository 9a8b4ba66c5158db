import { digestOf } from './hashes.ts';

/** What the name of a key in Redis says. */
export interface NamedKey {
  /** That of the filter. */
  readonly name: string;
  readonly part: 'list' | 'notes' | 'piece';
  /** The id of the filter that a piece belongs to. */
  readonly id?: string | undefined;
}

/** Reads the name of a key; undefined if it is no piece, list or note of a filter. */
export function namedKey(key: string): NamedKey | undefined {
  const [, name, tag = '', rest = ''] = /^([^{}]+):\{([^{}]*)\}:(.+)$/s.exec(key) ?? [];
  if (name === undefined) return undefined;
  if (tag === name && rest === 'making') return { name, part: 'notes' };
  if (!tag.startsWith(`${digestOf(name)}.`)) return undefined;
  if (rest === 'filters') return { name, part: 'list' };
  const [, id] = /^([0-9a-f]{16}):(?:\d+:)?\d+$/.exec(rest) ?? [];
  return id ? { name, part: 'piece', id } : undefined;
}

/** A pattern of SCAN for all keys of a filter but that of its parameters. */
export function patternOf(name: string): string {
  return `${name.replace(/[\\*?[\]^-]/g, '\\$&')}:{*`;
}
