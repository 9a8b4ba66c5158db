// The messages of the page about the last action.

import { integer, plural, short } from '../../format.ts';
import type { Change } from './kind.ts';
import type { Added, Measured, Model } from './model.ts';
import { listed } from './words.ts';

const quoted = (key: string): string => (key === '' ? 'the empty key' : `“${key}”`);
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The number of keys that were added but look absent, as a sentence. */
function missedText(missed: number): string {
  return `${plural(missed, 'key')} that ${missed === 1 ? 'was' : 'were'} added now ${missed === 1 ? 'looks' : 'look'} absent.`;
}

export function afterRefusal(key: string): string {
  return `There is no room for ${quoted(key)}: the filter refuses it, and has not changed.`;
}

export function afterAdd({ kind }: Model, key: string, change: Change): string {
  return `Added ${quoted(key)}: ${kind.words.added(change)}`;
}

export function afterLookUp(model: Model, key: string): string {
  const { words } = model.kind;
  const place = model.placeOf(key);
  const values = model.cells;
  if (model.has(key)) {
    const why = words.whyPresent(place, values);
    const truth = model.wasAdded(key) ? 'It was added.' : 'But nobody added it: this is a false positive.';
    return sentence(`${quoted(key)} may be present: ${why}. ${truth}`);
  }
  const text = `${quoted(key)} is certainly absent: ${words.whyAbsent(place, values)}.`;
  return sentence(model.wasAdded(key) ? `${text} But it was added: ${words.whyLost}.` : text);
}

/** @param change undefined if the key looked absent before */
export function afterRemove(model: Model, key: string, wasAdded: boolean, change: Change | undefined): string {
  if (change === undefined) return sentence(`${quoted(key)} looks absent, so nothing was removed.`);
  const removed = `Removed ${quoted(key)}: ${model.kind.words.removed?.(change)}`;
  if (wasAdded) return removed;
  const missed = model.missed().length;
  const others = missed === 0 ? 'No other key looks absent yet.' : missedText(missed);
  return `${removed} But nobody had added it. ${others}`;
}

export function measuredName({ asked }: Measured): string {
  return `of ${integer(asked)} names never added look present`;
}

export function afterNames(model: Model, { names, refused }: Added, measured: Measured): string {
  const missed = model.missed().length;
  const now = `Now there are ${integer(model.count)} keys, and ${integer(measured.wrong)} ${measuredName(measured)}.`;
  return [
    ...(names.length > 0 ? [`Added ${listed(names)}. ${now}`] : []),
    ...(refused === undefined ? [] : [afterRefusal(refused)]),
    ...(missed > 0 ? [missedText(missed)] : []),
  ].join(' ');
}

/** How many cells there are, and how many are in use. */
export function stateOf({ cells, kind }: Model): string {
  const used = cells.filter((value) => value > 0).length;
  return `${integer(cells.length)} ${kind.cellName}s, ${integer(used)} ${kind.words.used}.`;
}

/** The picture in words. */
export function describe(model: Model, key: string): string {
  const { words } = model.kind;
  return `${stateOf(model)} For ${quoted(key)}, ${words.itsName}: ${words.its(model.placeOf(key))}.`;
}

export function noStranger(looksPresent: boolean): string {
  return looksPresent
    ? 'None of 10,000 names that nobody added looks present yet: add more keys.'
    : 'All of 10,000 names that nobody added look present: the filter tells nothing any more.';
}

/** An expected number as text, which may be less than one. */
export function expectedText(count: number): string {
  return count < 10 ? short(Number(count.toPrecision(2))) : integer(count);
}
