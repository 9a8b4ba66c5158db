// A small filter that can be filled and asked: what several steps have in common.

import { integer, percent } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { button, buttons, figuresOf, keyForm, renew } from '../controls.ts';
import type { Stage } from '../step.ts';
import type { Change, PictureKind } from './kind.ts';
import { fromParameters, toParameters } from './log.ts';
import { Model } from './model.ts';
import { Picture } from './picture.ts';
import {
  afterAdd,
  afterLookUp,
  afterNames,
  afterRefusal,
  afterRemove,
  describe,
  expectedText,
  measuredName,
  noStranger,
  stateOf,
} from './wording.ts';

const NAMES_AT_ONCE = 10;

/** A button that writes a key of its own into the field, and looks it up. */
export interface Finder {
  readonly label: string;
  find(model: Model): string | undefined;
  /** What to say if there is no such key. */
  readonly otherwise: string;
}

export interface ViewOptions {
  /** The state with which the step begins, if the address has none. */
  readonly begin?: string;
  readonly finders?: readonly Finder[];
  /**
   * Shows in its own way what adding a key has changed. The picture already shows it, and shows something else as soon
   * as `isLatest` returns false.
   */
  readonly onAdd?: (picture: Picture, change: Change, isLatest: () => boolean) => void;
}

const strangers: readonly Finder[] = [
  { label: 'Find an absent name', find: (model) => model.findStranger(false), otherwise: noStranger(false) },
  { label: 'Find a false positive', find: (model) => model.findStranger(true), otherwise: noStranger(true) },
];

/** Shows a small filter of a kind, with what the state says was done to it. */
export async function showSmall(stage: Stage, kind: PictureKind, options: ViewOptions = {}): Promise<void> {
  const { root, said, engine, state, say } = stage;
  const { begin = '', finders = [], onAdd } = options;
  const { name, cellName, words, removes } = kind;
  const story = fromParameters(state.size > 0 ? state : new URLSearchParams(begin));
  const model = await Model.create(kind, engine, story.actions);
  // Something else may be shown by now.
  if (!root.isConnected) return;

  const hash = make('b', { class: 'mono' });
  const its = make('span', { class: 'its number' });
  const picture = new Picture(kind, model.cells.length, make('p', { class: 'hash' }, 'hash ', hash, its));
  const figures = figuresOf([]);
  /** Changes with every action. */
  let turn = 0;

  /** Shows where the key of the field goes. */
  const showKey = (): void => {
    const place = model.placeOf(input.value);
    hash.textContent = `0x${model.hashOf(input.value)}…`;
    its.textContent = `${words.itsName}: ${words.its(place)}`;
    picture.mark(place.cells, describe(model, input.value));
  };
  const show = (): void => {
    const { cells, count } = model;
    const measured = model.measure();
    picture.show(cells);
    const used = cells.filter((value) => value > 0).length;
    renew(
      figures,
      figuresOf([
        [integer(count), 'keys in it'],
        [percent(used / cells.length), `${cellName}s ${words.used}`],
        ...(removes ? [[integer(model.missed().length), 'keys in it look absent'] as const] : []),
        [integer(measured.wrong), measuredName(measured)],
        [expectedText(model.expectedErrorRate() * measured.asked), 'by the formula, on average'],
      ]),
    );
    showKey();
  };
  const keep = (): void => {
    const parameters = toParameters({ key: input.value, actions: model.actions });
    // What is too long for an address is left out of it, rather than a part of it.
    stage.keep(parameters ?? new URLSearchParams({ key: input.value }), parameters !== undefined);
  };
  const after = (message: string): void => {
    turn++;
    show();
    say(message);
    keep();
  };

  const add = (): void => {
    const change = model.add(input.value);
    after(change ? afterAdd(model, input.value, change) : afterRefusal(input.value));
    const mine = turn;
    if (change) onAdd?.(picture, change, () => turn === mine);
  };
  const lookUp = (): void => after(afterLookUp(model, input.value));
  const remove = (): void => {
    const wasAdded = model.wasAdded(input.value);
    after(afterRemove(model, input.value, wasAdded, model.remove(input.value)));
  };
  const addNames = (): void => {
    const added = model.addNames(NAMES_AT_ONCE);
    after(afterNames(model, added, model.measure()));
  };
  const clear = (): void => {
    model.clear();
    after('The filter is empty.');
  };
  const finderOf = (finder: Finder): HTMLElement =>
    button(finder.label, () => {
      const found = finder.find(model);
      input.value = found ?? input.value;
      after(found === undefined ? finder.otherwise : afterLookUp(model, found));
    });

  const { form, input } = keyForm(
    name,
    story.key,
    button('Add', add, { type: 'submit', class: 'primary' }),
    button('Look up', lookUp),
    ...(removes ? [button('Remove', remove)] : []),
  );
  input.addEventListener('input', () => {
    showKey();
    keep();
  });
  const fillers = buttons(
    button(`Add ${NAMES_AT_ONCE} names`, addNames),
    ...[...strangers, ...finders].map(finderOf),
    button('Start again', clear),
  );
  root.append(form, picture.root, said, fillers, figures);
  show();
  say(model.count === 0 ? `${stateOf(model)} Add a key, and see what changes.` : afterLookUp(model, story.key));
}
