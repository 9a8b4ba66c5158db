// A rotating filter as time passes.

import './rotating.css';
import { integer, plural } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { button, buttons, figuresOf, renew } from '../controls.ts';
import { stripOf } from '../drawn.ts';
import {
  describeRotation,
  type Event,
  eventsIn,
  eventsText,
  GENERATIONS,
  Rotation,
  WINDOW_SECONDS,
} from '../models/rotation.ts';
import type { Stage, Step } from '../step.ts';

const COLUMNS = 128;
const TICK_MS = 500;
/** As long as a generation takes keys, if no more come than it has room for. */
const SHARE = WINDOW_SECONDS / (GENERATIONS - 1);
const BEGIN = String(2 * SHARE);

async function show({ root, said, engine, state, keep, say }: Stage): Promise<void> {
  let rotation = await Rotation.create(engine, eventsIn(state.get('did') ?? BEGIN));
  let timer: ReturnType<typeof setInterval> | undefined;
  const generations = make('ol');
  const keys = make('ol', { class: 'seen', 'aria-label': 'The latest keys, the newest last' });
  const figures = figuresOf([]);
  const draw = (): void => {
    const items = rotation.generations.map(({ bits, isCurrent }, i) =>
      make(
        'li',
        { class: isCurrent ? 'framed' : '' },
        make('span', {}, `generation ${i}`),
        make('span', { class: 'generation-use' }, isCurrent ? 'takes keys' : ''),
        stripOf(bits, COLUMNS),
      ),
    );
    renew(generations, make('ol', { class: 'bit-rows generations' }, ...items));
    const { seen } = rotation;
    const marks = seen.map(({ name, age, isFound }) => {
      const title = `${name}, ${integer(age)} s ago: ${isFound ? 'remembered' : 'forgotten'}`;
      return make('li', { class: isFound ? 'found' : 'lost', title }, make('span', { class: 'spoken' }, title));
    });
    keys.replaceChildren(...marks);
    const found = seen.filter(({ isFound }) => isFound).length;
    renew(
      figures,
      figuresOf([
        [integer(rotation.seconds), 'seconds passed'],
        [integer(rotation.count), 'keys came'],
        [integer(found), `of the last ${plural(seen.length, 'key')} ${seen.length === 1 ? 'is' : 'are'} remembered`],
        [integer(rotation.rotations), 'generations cleared'],
        [integer(rotation.earlyRotations), 'of them early'],
      ]),
    );
  };
  /** @param isQuiet whether to say only that a generation was cleared: each second would be too much to listen to */
  const pass = (event: Event, isQuiet = false): void => {
    const { rotations, earlyRotations } = rotation;
    rotation.pass(event);
    draw();
    if (!isQuiet || rotation.rotations > rotations)
      say(describeRotation(rotation, event, { rotations, earlyRotations }));
    const did = eventsText(rotation.events);
    keep(new URLSearchParams(did === undefined ? {} : { did }), did !== undefined);
  };
  const play = button('Play', () => {
    if (timer !== undefined) {
      stop();
      return;
    }
    play.textContent = 'Pause';
    timer = setInterval(() => {
      if (root.isConnected) pass(1, true);
      else stop();
    }, TICK_MS);
  });
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = 'Play';
  };
  const clear = async (): Promise<void> => {
    stop();
    rotation = await Rotation.create(engine, []);
    draw();
    say('The filter is empty, and the clock is at 0 again.');
    keep(new URLSearchParams({ did: '' }));
  };
  root.append(
    buttons(
      button('1 second', () => pass(1), { class: 'primary' }),
      button('10 seconds', () => pass(10)),
      play,
      button('10 keys at once', () => pass('burst')),
      button('Start again', () => void clear()),
    ),
    generations,
    said,
    keys,
    make('p', { class: 'muted small' }, `Filled: remembered. Empty: forgotten. The newest key comes last.`),
    figures,
  );
  draw();
  say(`A key comes each second, and must be remembered for ${WINDOW_SECONDS} seconds.`);
}

export const step: Step = {
  text: [
    'A stream never ends, but memory does. This filter remembers the keys of the last 30 seconds, in 4 generations that take turns: new keys go to one generation for 10 seconds, then the oldest generation is cleared, all at once, and takes the next ones.',
    'If too many keys come, the oldest generation is cleared early: errors stay rare, and some keys are forgotten before their time.',
  ],
  show,
};
