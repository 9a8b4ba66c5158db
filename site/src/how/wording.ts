// What the page says about what has just happened.

import { integer, plural, short } from '../format.ts';
import type { Measured, Model } from './model.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** `bits 3, 17 and 66`, `counter 5` */
function namesOf(cells: readonly number[], cellName: string): string {
  return `${cellName}${cells.length === 1 ? '' : 's'} ${list.format(cells.map(String))}`;
}

const quoted = (key: string): string => (key === '' ? 'the empty key' : `“${key}”`);
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** @param before the cells of the filter before the key was added */
export function afterAdd(model: Model, key: string, before: readonly number[], wasNew: boolean): string {
  const { cellName, countsUp } = model.kind;
  const cells = model.cellsOfKey(key);
  if (countsUp) return `Added ${quoted(key)}: counted up ${namesOf(cells, cellName)}.`;
  if (!wasNew) return `Added ${quoted(key)}: all its bits were set already, so nothing has changed.`;
  const fresh = cells.filter((cell) => before[cell] === 0);
  const old = cells.length - fresh.length;
  const already = old === 0 ? '' : ` ${old === 1 ? '1 was' : `${old} were`} set already.`;
  return `Added ${quoted(key)}: set ${namesOf(fresh, cellName)}.${already}`;
}

export function afterLookUp(model: Model, key: string): string {
  const { cellName, countsUp } = model.kind;
  if (!model.has(key)) {
    const values = model.cells;
    const zeros = model.cellsOfKey(key).filter((cell) => values[cell] === 0);
    const state = `${zeros.length === 1 ? 'is' : 'are'} ${countsUp ? '0' : 'not set'}`;
    const text = `${quoted(key)} is certainly absent: ${namesOf(zeros, cellName)} ${state}.`;
    return sentence(model.wasAdded(key) ? `${text} But it was added: what was removed took its counts.` : text);
  }
  const why = countsUp ? 'none of its counters is 0' : 'all its bits are set';
  const truth = model.wasAdded(key) ? 'It was added.' : 'But nobody added it: this is a false positive.';
  return sentence(`${quoted(key)} may be present: ${why}. ${truth}`);
}

export function afterRemove(model: Model, key: string, wasAdded: boolean, wasPresent: boolean): string {
  if (!wasPresent) return sentence(`${quoted(key)} looks absent, so nothing was removed.`);
  const removed = `Removed ${quoted(key)}: counted down ${namesOf(model.cellsOfKey(key), model.kind.cellName)}.`;
  if (wasAdded) return removed;
  const lost = model.lost().length;
  const missed =
    lost === 0 ? 'No other key looks absent yet.' : `${plural(lost, 'key')} that were added now look absent.`;
  return `${removed} But nobody had added it. ${missed}`;
}

export function measuredName({ asked }: Measured): string {
  return `of ${integer(asked)} names never added look present`;
}

export function afterNames(model: Model, names: readonly string[], measured: Measured): string {
  const added = `Added ${list.format(names)}. Now there are ${integer(model.count)} keys`;
  return `${added}, and ${integer(measured.wrong)} ${measuredName(measured)}.`;
}

/** The picture in words. */
export function describe(model: Model, key: string): string {
  const { cellName, countsUp } = model.kind;
  const { cells } = model;
  const used = cells.filter((value) => value > 0).length;
  const state = `${integer(cells.length)} ${cellName}s, ${integer(used)} ${countsUp ? 'above 0' : 'set'}.`;
  return `${state} Of ${quoted(key)}: ${namesOf(model.cellsOfKey(key), cellName)}.`;
}

export function examplesText({ examples }: Measured): string {
  return examples.length === 0 ? '\u00a0' : `Never added, but look present: ${examples.join(', ')}`;
}

/** A number that may be less than one. */
export function expectedText(count: number): string {
  return count < 10 ? short(Number(count.toPrecision(2))) : integer(count);
}
