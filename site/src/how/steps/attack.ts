// An attacker's keys against a filter without and with a secret.

import { integer, percent } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { button, buttons, figuresOf, renew } from '../controls.ts';
import { stripOf } from '../drawn.ts';
import {
  type Attack,
  actionsIn,
  type Both,
  describeAdded,
  describeAsked,
  MOST_ACTIONS,
  type Side,
  Target,
} from '../models/attack.ts';
import { expectedText } from '../small/wording.ts';
import type { Stage, Step } from '../step.ts';

const COLUMNS = 64;
const titles: Both<string> = { open: 'Without a secret', keyed: 'With a secret' };

/** @param forged what is to be said of forged keys */
function filterOf(target: Target, side: Side, forged: string): HTMLElement {
  return make(
    'div',
    { class: `side ${side}` },
    make('h3', {}, titles[side]),
    stripOf(target.bits[side], COLUMNS),
    figuresOf([
      [percent(Math.round(1000 * target.fill[side]) / 1000), 'of the bits are set'],
      [integer(target.wrong[side]), 'of 10,000 other names look present'],
      [expectedText(target.expected), 'by the formula'],
      [forged, 'forged keys look present'],
    ]),
  );
}

async function show({ root, said, engine, state, keep, say }: Stage): Promise<void> {
  let target = await Target.create(engine);
  let actions = actionsIn(state.get('did'));
  const filters = make('div');
  const draw = ({ open, keyed }: Both<string> = { open: '–', keyed: '–' }): void =>
    renew(filters, make('div', { class: 'sides' }, filterOf(target, 'open', open), filterOf(target, 'keyed', keyed)));
  const act = (action: Attack): void => {
    if (actions.length === MOST_ACTIONS) {
      say('The filters have many more keys than they were made for: no more are added here.');
      return;
    }
    const added = target.act(action);
    actions = [...actions, action];
    draw();
    say(describeAdded(action, added, target.fill, target.wrong));
    keep(new URLSearchParams({ did: actions.join('') }));
  };
  const ask = (): void => {
    const forged = target.forge();
    const present = target.ask(forged.keys);
    const textOf = (side: Side): string => `${present[side]} of ${forged.keys.length}`;
    draw({ open: textOf('open'), keyed: textOf('keyed') });
    say(describeAsked(forged, present));
  };
  const clear = async (): Promise<void> => {
    target = await Target.create(engine);
    actions = [];
    draw();
    say(`Both filters have ${target.keys} ordinary keys, and the keyed one has a new secret.`);
    keep(new URLSearchParams());
  };
  root.append(
    buttons(
      button('Send forged keys', ask, { class: 'primary' }),
      button('Add 20 chosen keys', () => act('c')),
      button('Add 20 ordinary keys', () => act('o')),
      button('Start again', () => void clear()),
    ),
    said,
    filters,
  );
  for (const action of actions) target.act(action);
  draw();
  say(`Both filters have the same ${target.keys} keys.`);
}

export const step: Step = {
  text: [
    'Everybody can compute the hash of a filter without a secret. Who knows its keys, or adds some, can build the same filter at home and try names there: forged keys look present although nobody added them, and chosen keys fill the filter faster than the formula expects.',
    'The other filter hashes with SipHash under a secret. The same keys are ordinary ones there.',
  ],
  show,
};
