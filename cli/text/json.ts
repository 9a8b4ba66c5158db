// Keys that are members of JSON objects, one object a line. The bytes are read as they are: JSON.parse would round long
// numbers, and so make one key of several.

import { trimEnd, trimStart } from './blanks.ts';
import { areSame, bytesOf, joined, textOf } from './bytes.ts';
import { endOfRecord, type Path, QUOTE, type TextFormat } from './format.ts';
import { BACKSLASH, isDigit, isEscaped, LOWER_U, unescaped, writeString } from './json-strings.ts';
import { KeyWriter } from './key-writer.ts';
import type { KeyedText } from './records.ts';

/** Objects and arrays within each other. JSON.parse takes more, but nobody writes them. */
const MOST_LEVELS = 1000;
/** So many bytes tell whether a text begins with an array. */
const MOST_BLANKS = 64;
const [COMMA, COLON] = [44, 58];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const [MINUS, PLUS, POINT, ZERO] = [45, 43, 46, 48];
const [LOWER_A, LOWER_F, TO_LOWER] = [97, 102, 32];
const ESCAPES = bytesOf('"\\/bfnrtu');
const LITERALS = ['true', 'false', 'null'].map((word) => bytesOf(word));
const [NULL, QUOTED_NULL] = [bytesOf('null'), bytesOf('"null"')];

/** A member that is wanted, or in which one is. */
interface Wanted {
  readonly name: Uint8Array;
  /** Its place in the key; -1 if only members of it are wanted. */
  place: number;
  readonly members: Wanted[];
}

function wantedOf(paths: readonly Path[]): Wanted {
  const root: Wanted = { name: new Uint8Array(0), place: -1, members: [] };
  paths.forEach((path, place) => {
    let at = root;
    for (const word of path) {
      const name = bytesOf(word);
      let next = at.members.find((each) => areSame(name, each.name));
      if (next === undefined) {
        next = { name, place: -1, members: [] };
        at.members.push(next);
      }
      at = next;
    }
    at.place = place;
  });
  return root;
}

function isHexDigit(byte = 0): boolean {
  const lower = byte | TO_LOWER;
  return isDigit(byte) || (lower >= LOWER_A && lower <= LOWER_F);
}

/** Thrown where a line is not JSON. It is not an Error, which would take a stack trace for each such line. */
class NotJson {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Reads lines, and finds where the wanted members are. */
class JsonLines {
  readonly #text: Uint8Array;
  readonly #root: Wanted;
  /** Where each wanted member begins and ends in the line that was read last; both are 0 if it has none. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  #start = 0;
  /** Whether the last string has a backslash. */
  #isEscaped = false;
  #at = 0;
  #end = 0;

  constructor(text: Uint8Array, paths: readonly Path[]) {
    this.#text = text;
    this.#root = wantedOf(paths);
    this.starts = new Uint32Array(paths.length);
    this.ends = new Uint32Array(paths.length);
  }

  /** Why a line is not JSON; undefined if it is, and has been read. */
  reasonAgainst(start: number, end: number): string | undefined {
    try {
      this.#read(start, end);
      return undefined;
    } catch (error) {
      if (error instanceof NotJson) return error.reason;
      throw error;
    }
  }

  /** Reads a line without what ends it. A blank one has no members. */
  #read(start: number, end: number): void {
    this.#start = start;
    this.#at = start;
    this.#end = end;
    this.starts.fill(0);
    this.ends.fill(0);
    this.#skipBlanks();
    if (this.#at === end) return;
    this.#value(this.#root, 0);
    this.#skipBlanks();
    if (this.#at < end) this.#fail('more follows');
  }

  /** The next byte; undefined at the end of the line. */
  get #next(): number | undefined {
    return this.#at < this.#end ? this.#text[this.#at] : undefined;
  }

  #fail(reason: string): never {
    const where = this.#at < this.#end ? `at byte ${this.#at - this.#start + 1}` : 'at its end';
    throw new NotJson(`${reason} ${where}`);
  }

  #skipBlanks(): void {
    const text = this.#text;
    let at = this.#at;
    for (; at < this.#end; at++) {
      const byte = text[at];
      if (byte !== 32 && byte !== 9 && byte !== 13 && byte !== 10) break;
    }
    this.#at = at;
  }

  #value(wanted: Wanted | undefined, level: number): void {
    const byte = this.#next;
    if (byte === QUOTE) this.#string();
    else if (byte === OPEN_OBJECT) this.#object(wanted, level + 1);
    else if (byte === OPEN_ARRAY) this.#array(level + 1);
    else if (byte === MINUS || isDigit(byte)) this.#number();
    else this.#literal();
  }

  #object(wanted: Wanted | undefined, level: number): void {
    if (level > MOST_LEVELS) this.#fail(`more than ${MOST_LEVELS} levels`);
    this.#at++;
    this.#skipBlanks();
    if (this.#next === CLOSE_OBJECT) {
      this.#at++;
      return;
    }
    for (;;) {
      if (this.#next !== QUOTE) this.#fail('the name of a member is missing');
      const from = this.#at;
      this.#string();
      const member = wanted && this.#memberOf(wanted, from);
      this.#skipBlanks();
      if (this.#next !== COLON) this.#fail('a colon is missing');
      this.#at++;
      this.#skipBlanks();
      const start = this.#at;
      // As in JSON.parse, the last member of a name counts.
      if (member) this.#forget(member);
      this.#value(member, level);
      if (member && member.place >= 0) {
        this.starts[member.place] = start;
        this.ends[member.place] = this.#at;
      }
      this.#skipBlanks();
      if (this.#endsOr(CLOSE_OBJECT)) return;
    }
  }

  #array(level: number): void {
    if (level > MOST_LEVELS) this.#fail(`more than ${MOST_LEVELS} levels`);
    this.#at++;
    this.#skipBlanks();
    if (this.#next === CLOSE_ARRAY) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value(undefined, level);
      this.#skipBlanks();
      if (this.#endsOr(CLOSE_ARRAY)) return;
    }
  }

  /** Whether an object or array ends here. If not, reads the comma. */
  #endsOr(close: number): boolean {
    const byte = this.#next;
    if (byte !== close && byte !== COMMA) this.#fail(`a comma or ${String.fromCharCode(close)} is missing`);
    this.#at++;
    if (byte === COMMA) this.#skipBlanks();
    return byte === close;
  }

  #forget({ place, members }: Wanted): void {
    if (place >= 0) this.ends[place] = 0;
    members.forEach((member) => {
      this.#forget(member);
    });
  }

  /** The wanted member whose name has just been read. */
  #memberOf({ members }: Wanted, start: number): Wanted | undefined {
    if (this.#isEscaped && members.length > 0) {
      const name = unescaped(this.#text, start + 1, this.#at - 1);
      return members.find((member) => areSame(name, member.name));
    }
    const text = this.#text;
    const from = start + 1;
    const length = this.#at - 1 - from;
    // A view of the name would take longer to make than to compare.
    for (const member of members) {
      const { name } = member;
      let same = 0;
      if (name.length === length) while (same < length && name[same] === text[from + same]) same++;
      if (name.length === length && same === length) return member;
    }
    return undefined;
  }

  #string(): void {
    const text = this.#text;
    const end = this.#end;
    this.#isEscaped = false;
    for (let at = this.#at + 1; at < end; at++) {
      const byte = text[at] as number;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return;
      }
      if (byte < 32) {
        this.#at = at;
        this.#fail('a control character in a string');
      }
      if (byte === BACKSLASH) {
        this.#isEscaped = true;
        this.#at = at + 1;
        this.#escape();
        at = this.#at - 1;
      }
    }
    this.#at = end;
    this.#fail('a string is not closed');
  }

  #escape(): void {
    const byte = this.#next;
    if (byte === undefined || !ESCAPES.includes(byte)) this.#fail('a backslash without its letter');
    const digits = byte === LOWER_U ? 4 : 0;
    // What ends the line is no digit.
    for (let i = 1; i <= digits; i++) {
      if (!isHexDigit(this.#text[this.#at + i])) this.#fail('\\u without four digits');
    }
    this.#at += 1 + digits;
  }

  #number(): void {
    if (this.#next === MINUS) this.#at++;
    if (this.#next === ZERO) this.#at++;
    else this.#digits();
    if (this.#next === POINT) {
      this.#at++;
      this.#digits();
    }
    // e or E.
    if (((this.#next ?? 0) | 32) === 101) {
      this.#at++;
      if (this.#next === MINUS || this.#next === PLUS) this.#at++;
      this.#digits();
    }
  }

  #digits(): void {
    if (!isDigit(this.#next)) this.#fail('a digit is missing');
    while (isDigit(this.#next)) this.#at++;
  }

  #literal(): void {
    const found = LITERALS.find(
      (word) => word.length <= this.#end - this.#at && word.every((byte, i) => this.#text[this.#at + i] === byte),
    );
    if (found === undefined) this.#fail('a value is missing');
    this.#at += found.length;
  }
}

/** Whether a text begins with an array, as JSON does that has its objects in one, rather than in a line each. */
export function isArray(head: Uint8Array): boolean {
  return /^\s*\[/.test(textOf(head, 0, Math.min(head.length, MOST_BLANKS)));
}

/**
 * The lines of a text that are JSON, up to the first one that is not unless those are left out, and their keys: what a
 * string means, or any other value as it is written, and null for a member that a line lacks. Several members are a JSON
 * array of such texts.
 */
export function keyedJson(text: Uint8Array, format: TextFormat): KeyedText {
  const { separator, members, trim, skipsInvalid, input, tally } = format;
  const keys = new KeyWriter(text.length, format.ignoreCase);
  const lines = new JsonLines(text, members);
  const { starts, ends } = lines;
  const isSingle = members.length === 1;
  const copyAll = (bytes: Uint8Array): void => keys.copy(bytes, 0, bytes.length);
  const writeValue = (place: number): void => {
    let [bytes, start, end] = [text, starts[place] as number, ends[place] as number];
    const isString = text[start] === QUOTE;
    if (isString) {
      start++;
      end--;
      if (isEscaped(text, start, end)) {
        bytes = unescaped(text, start, end);
        [start, end] = [0, bytes.length];
      }
      if (trim) {
        start = trimStart(bytes, start, end);
        end = trimEnd(bytes, start, end);
      }
    }
    const first = bytes[start];
    // A bit of a later member would be that of one of the first 32.
    if (place < 32 && (isDigit(first) || first === MINUS)) tally[isString ? 'digits' : 'numbers'] |= 1 << place;
    if (isSingle) keys.copy(bytes, start, end);
    else writeString(keys, bytes, start, end);
  };
  const valid: Uint8Array[] = [];
  const invalid: number[] = [];
  /** Where the lines begin that come after the last invalid one. */
  let from = 0;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const start = at;
    at = endOfRecord(text, start, format);
    count++;
    const reason = lines.reasonAgainst(start, text[at - 1] === separator ? at - 1 : at);
    if (reason !== undefined) {
      tally.invalid++;
      tally.firstInvalid ??= { input: input.name, line: input.lines + count, reason: `is not JSON: ${reason}` };
      invalid.push(count - 1);
      valid.push(text.subarray(from, start));
      from = skipsInvalid ? at : text.length;
      if (!skipsInvalid) break;
      continue;
    }
    if (ends.includes(0)) tally.lacking++;
    if (!isSingle) keys.put(OPEN_ARRAY);
    for (let place = 0; place < members.length; place++) {
      if (place > 0) keys.put(COMMA);
      if (ends[place]) writeValue(place);
      else copyAll(isSingle ? NULL : QUOTED_NULL);
    }
    if (!isSingle) keys.put(CLOSE_ARRAY);
    keys.end();
  }
  input.lines += count;
  const whole = valid.length > 0 ? joined([...valid, text.subarray(from)]) : text;
  return { text: whole, keys: keys.toColumn(), invalid };
}
