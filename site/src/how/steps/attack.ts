// An attacker's keys against a filter without and with a secret.

import { integer, percent } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { button, buttons, Figures } from '../controls.ts';
import { Strip } from '../drawn.ts';
import {
  type Attack,
  actionsIn,
  BITS,
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

/** The picture of one of the two filters. */
class FilterView {
  readonly root: HTMLElement;
  readonly #side: Side;
  readonly #strip = new Strip(COLUMNS, BITS / COLUMNS);
  readonly #figures = new Figures({
    fill: 'of the bits are set',
    wrong: 'of 10,000 other names look present',
    formula: 'by the formula',
    forged: 'forged keys look present',
  });

  constructor(side: Side) {
    this.#side = side;
    this.root = make('div', { class: `side ${side}` }, make('h3', {}, titles[side]));
    this.root.append(this.#strip.root, this.#figures.root);
  }

  show(target: Target, forged: string): void {
    const side = this.#side;
    this.#strip.show(target.bits[side]);
    this.#figures.set('fill', percent(Math.round(1000 * target.fill[side]) / 1000));
    this.#figures.set('wrong', integer(target.wrong[side]));
    this.#figures.set('formula', expectedText(target.expected));
    this.#figures.set('forged', forged);
  }
}

async function show({ root, said, engine, state, keep, say }: Stage): Promise<void> {
  const views = { open: new FilterView('open'), keyed: new FilterView('keyed') };
  let target = await Target.create(engine);
  let actions: Attack[] = [];
  const draw = (forged: Both<string> = { open: '–', keyed: '–' }): void => {
    for (const side of ['open', 'keyed'] as const) views[side].show(target, forged[side]);
  };
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
      button('Send forged keys', ask, { class: 'primary', 'data-do': 'forge' }),
      button('Add 20 chosen keys', () => act('c'), { 'data-do': 'chosen' }),
      button('Add 20 ordinary keys', () => act('o'), { 'data-do': 'ordinary' }),
      button('Start again', () => void clear(), { 'data-do': 'clear' }),
    ),
    said,
    make('div', { class: 'sides' }, views.open.root, views.keyed.root),
  );
  actions = actionsIn(state.get('did'));
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
