// The pieces of a filter that forgets, window by window. After all pieces of a window are made, a mark is set in each
// of their slots, and one more in a slot of its own. No key is added before that. So a window without marks is new, and
// a window with a mark must be complete: if a piece is missing, a server has lost it.

import { lost } from './error.ts';
import { Layout } from './layout.ts';
import type { StoredParameters } from './parameters.ts';
import { forAll, type Pieces } from './pieces.ts';
import { integerIn, textIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { GENERATION, MAKE_UNTIL, NOTE_MADE, READ, UNLINK } from './scripts.ts';

/** The margin before a window expires, in milliseconds. */
const SLACK = 1000;

/** The pieces for the keys of one window. */
export class Window extends Layout {
  readonly stored: StoredParameters;
  readonly number: number;
  /** The key that is set after all marks. */
  readonly mark: string;

  constructor(name: string, stored: StoredParameters, number: number) {
    super(name, stored, `${number}:`);
    this.stored = stored;
    this.number = number;
    this.mark = `${name}:made:${stored.id}:${number}`;
  }

  /** The keys of the marks beside the pieces. */
  get marks(): string[] {
    return this.perSlot('made');
  }
}

/** How many marks of a window are set. Asks the masters, because a late replica would make the window look new. */
export async function marksOf(
  runner: ScriptRunner,
  readOnly: boolean,
  window: Window,
): Promise<'all' | 'some' | 'none'> {
  const isSet = async (key: string): Promise<boolean> =>
    textIn(await runner.run(READ, [key], [], { readOnly, latest: true, repeatable: true })) !== null;
  if (await isSet(window.mark)) return 'all';
  let isAny = false;
  await forAll(window.marks, async (mark) => {
    if (await isSet(mark)) isAny = true;
  });
  return isAny ? 'some' : 'none';
}

/** Makes the pieces of a new window. */
export async function makeWindow(runner: ScriptRunner, window: Window): Promise<void> {
  const { id } = window;
  const text = JSON.stringify(window.stored);
  const until = untilOf(window);
  await forAll(window.pieces(), async ({ key, list, byteLength }) => {
    await runner.run(MAKE_UNTIL, [key, list], [String(byteLength), until, id, text], { repeatable: true });
  });
  await markWindow(runner, window);
}

/**
 * Sets the missing marks of a window.
 *
 * @throws RedisFilterError LOST if a piece is missing
 */
export async function completeWindow(
  runner: ScriptRunner,
  name: string,
  pieces: Pieces,
  window: Window,
): Promise<void> {
  if (!(await pieces.areThere(window))) throw lost(name);
  await markWindow(runner, window);
}

async function markWindow(runner: ScriptRunner, window: Window): Promise<void> {
  const mark = async (key: string): Promise<void> => {
    await runner.run(NOTE_MADE, [key], [untilOf(window)], { repeatable: true });
  };
  await forAll(window.marks, mark);
  await mark(window.mark);
}

/** When a window expires, in milliseconds since 1970. */
function untilOf({ stored, number }: Window): string {
  return String((number + 2) * stored.window + SLACK);
}

/** Deletes all windows that have not expired, even those that this client has not seen. */
export async function removeWindows(
  runner: ScriptRunner,
  name: string,
  pieces: Pieces,
  stored: StoredParameters,
): Promise<void> {
  await pieces.disown(stored);
  const now = integerIn(await runner.run(GENERATION, [name], [String(stored.window)], { repeatable: true }));
  // The clock of another server may be ahead of this one.
  for (const number of [now - 1, now, now + 1]) {
    const window = new Window(name, stored, number);
    await pieces.unlink(window);
    await forAll([...window.marks, window.mark], async (key) => {
      await runner.run(UNLINK, [key], [], { repeatable: true });
    });
  }
  await pieces.forget(stored);
}
