// What is said about the records of a text when all have been read.

import { nameOf, say } from '../errors.ts';
import { plural } from '../numbers.ts';
import { recordNoun, type TextFormat, wordsOf, writtenField, writtenPath } from './format.ts';

/** Says how many records were left out. */
function tellInvalid(format: TextFormat): void {
  const { invalid, firstInvalid } = format.tally;
  if (firstInvalid === undefined) return;
  const others = invalid > 1 ? ', the first of them' : '';
  say(`warning: ${plural(invalid, 'invalid record')} left out${others}: ${wordsOf(firstInvalid, format)}`);
}

function warnIfLacking(format: TextFormat): void {
  const { fields, members, tally } = format;
  if (tally.lacking === 0) return;
  const count = plural(tally.lacking, recordNoun(format));
  const names = members.map(writtenPath).join(', ');
  if (members.length > 1) say(`warning: ${count} without one of ${names}, which is null in the key`);
  else if (members.length > 0) say(`warning: ${count} without ${names}, whose key is null`);
  else if (fields.length > 1)
    say(
      `warning: ${count} without one of the fields ${fields.map(writtenField).join(', ')}, which is empty in the key`,
    );
  else say(`warning: ${count} without a field ${fields.map(writtenField).join()}, whose key is empty`);
}

/** Warns if a member is a number in some records and a string in others, because 17 and "17" are one key. */
function warnIfMixed({ members, tally }: TextFormat): void {
  members.forEach((path, place) => {
    if (place > 31 || (tally.numbers & tally.digits & (1 << place)) === 0) return;
    say(`warning: ${writtenPath(path)} is a number in some lines and a string in others: 17 and "17" are one key`);
  });
}

/**
 * Warns of what was found in the records: those that were left out, those that lacked a part of the key, because a wrong
 * delimiter or name would otherwise go unnoticed, and inputs that have none.
 */
export function warnOfRecords(format: TextFormat): void {
  tellInvalid(format);
  warnIfLacking(format);
  warnIfMixed(format);
  for (const name of format.tally.empty) {
    say(`warning: ${nameOf(name)} has no ${recordNoun(format)}${format.header ? ' below its header' : ''}`);
  }
}
