// The answer of the page about a name.

import { integer } from '../format.ts';

interface Answer {
  readonly verdict: string;
  readonly explanation: string;
  readonly isTaken: boolean;
}

/** Names that npm keeps for itself. */
const RESERVED: readonly string[] = ['node_modules', 'favicon.ico'];

/** Why npm would not take a new package of this name; undefined if it would. */
export function objectionTo(name: string): string | undefined {
  if (RESERVED.includes(name.toLowerCase())) return 'npm takes no package of this name.';
  if (/[A-Z]/.test(name)) return 'npm takes no new names with upper-case letters.';
  if (/^[._]/.test(name)) return 'npm takes no names that begin with a dot or an underscore.';
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9._~-]*$/.test(name)) {
    return 'npm takes names of letters, digits, dots, hyphens and underscores, and scopes such as @scope/name.';
  }
  return undefined;
}

/** What is known about a name before the filter is there. */
export function answerBefore(name: string): Answer {
  return { verdict: '…', explanation: objectionTo(name) ?? 'Fetching the names.', isTaken: false };
}

/**
 * @param has the answer of the filter
 * @param errorRate the measured share of free names that look taken
 * @param date of the list
 */
export function answerTo(name: string, has: (name: string) => boolean, errorRate: number, date: string): Answer {
  if (has(name)) {
    const one = integer(1 / errorRate);
    return {
      verdict: 'Probably taken',
      explanation: `The filter may have it. Of ${one} free names, one looks like this.`,
      isTaken: true,
    };
  }
  const objection = objectionTo(name);
  const lower = name.toLowerCase();
  const other = lower !== name && has(lower) ? ` “${lower}” is probably taken.` : '';
  return {
    verdict: 'Certainly not taken',
    explanation:
      objection === undefined ? `No package had this name on ${date}, the day of the list.` : objection + other,
    isTaken: false,
  };
}
