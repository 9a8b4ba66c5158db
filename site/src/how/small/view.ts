// A small filter that can be filled and asked: what several steps have in common.

import { integer, percent } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { button, buttons, Figures } from '../controls.ts';
import type { Stage } from '../step.ts';
import type { Change, PictureKind } from './kind.ts';
import { fromParameters, MOST_CHARACTERS, toParameters } from './log.ts';
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

/** `find-an-absent-name` */
const idOf = ({ label }: Finder): string => label.toLowerCase().replaceAll(' ', '-');

class View {
  readonly #stage: Stage;
  readonly #model: Model;
  readonly #options: ViewOptions;
  readonly #picture: Picture;
  readonly #figures: Figures;
  readonly #input: HTMLInputElement;
  readonly #hash = make('b', { class: 'mono' });
  /** Changes with every action. */
  #turn = 0;
  readonly #its = make('span', { class: 'its number' });

  constructor(stage: Stage, model: Model, key: string, options: ViewOptions) {
    this.#stage = stage;
    this.#model = model;
    this.#options = options;
    const { name, cellName, words, removes } = model.kind;
    this.#input = make('input', {
      id: `${name}-key`,
      maxlength: String(MOST_CHARACTERS),
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    });
    this.#input.value = key;
    const source = make('p', { class: 'hash' }, 'hash ', this.#hash, this.#its);
    this.#picture = new Picture(model.kind, model.cells.length, source);
    this.#figures = new Figures({
      count: 'keys in it',
      fill: `${cellName}s ${words.used}`,
      ...(removes && { missed: 'keys in it look absent' }),
      wrong: 'of 10,000 names never added look present',
      formula: 'by the formula, on average',
    });
    stage.root.append(this.#form(), this.#picture.root, stage.said, this.#fillers(), this.#figures.root);
    this.#input.addEventListener('input', () => {
      this.#showKey();
      this.#keep();
    });
    this.#show();
    stage.say(model.count === 0 ? `${stateOf(model)} Add a key, and see what changes.` : afterLookUp(model, key));
  }

  #form(): HTMLElement {
    const { name, removes } = this.#model.kind;
    const field = make('div', { class: 'field' }, make('label', { for: `${name}-key` }, 'A key'), this.#input);
    const add = make('button', { type: 'submit', class: 'primary', 'data-do': 'add' }, 'Add');
    const form = make(
      'form',
      { class: 'key-form' },
      field,
      buttons(
        add,
        button('Look up', () => this.#lookUp(), { 'data-do': 'look-up' }),
        ...(removes ? [button('Remove', () => this.#remove(), { 'data-do': 'remove' })] : []),
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#add();
    });
    return form;
  }

  #fillers(): HTMLElement {
    const finders = [...strangers, ...(this.#options.finders ?? [])];
    return buttons(
      button(`Add ${NAMES_AT_ONCE} names`, () => this.#addNames(), { 'data-do': 'add-ten' }),
      ...finders.map((finder) => button(finder.label, () => this.#find(finder), { 'data-do': idOf(finder) })),
      button('Start again', () => this.#clear(), { 'data-do': 'clear' }),
    );
  }

  get #key(): string {
    return this.#input.value;
  }

  #add(): void {
    const change = this.#model.add(this.#key);
    this.#after(change ? afterAdd(this.#model, this.#key, change) : afterRefusal(this.#key));
    const turn = this.#turn;
    if (change) this.#options.onAdd?.(this.#picture, change, () => turn === this.#turn);
  }

  #lookUp(): void {
    this.#after(afterLookUp(this.#model, this.#key));
  }

  #remove(): void {
    const wasAdded = this.#model.wasAdded(this.#key);
    this.#after(afterRemove(this.#model, this.#key, wasAdded, this.#model.remove(this.#key)));
  }

  #addNames(): void {
    const added = this.#model.addNames(NAMES_AT_ONCE);
    this.#after(afterNames(this.#model, added, this.#model.measure()));
  }

  #find({ find, otherwise }: Finder): void {
    const found = find(this.#model);
    if (found === undefined) {
      this.#after(otherwise);
    } else {
      this.#input.value = found;
      this.#lookUp();
    }
  }

  #clear(): void {
    this.#model.clear();
    this.#after('The filter is empty.');
  }

  #after(message: string): void {
    this.#turn++;
    this.#show();
    this.#stage.say(message);
    this.#keep();
  }

  #keep(): void {
    const { actions } = this.#model;
    // What is too long for an address is left out of it, rather than a part of it.
    const parameters = toParameters({ key: this.#key, actions });
    this.#stage.keep(parameters ?? new URLSearchParams({ key: this.#key }), parameters !== undefined);
  }

  /** Shows where the key of the field goes. */
  #showKey(): void {
    const model = this.#model;
    const { words } = model.kind;
    const place = model.placeOf(this.#key);
    this.#hash.textContent = `0x${model.hashOf(this.#key)}…`;
    this.#its.textContent = `${words.itsName}: ${words.its(place)}`;
    this.#picture.mark(place.cells);
    this.#picture.describe(describe(model, this.#key));
  }

  #show(): void {
    const model = this.#model;
    const { cells, kind } = model;
    const measured = model.measure();
    this.#picture.show(cells, kind.show);
    this.#figures.set('count', integer(model.count));
    this.#figures.set('fill', percent(cells.filter((value) => value > 0).length / cells.length));
    this.#figures.set('missed', integer(model.missed().length));
    this.#figures.rename('wrong', measuredName(measured));
    this.#figures.set('wrong', integer(measured.wrong));
    this.#figures.set('formula', expectedText(model.expectedErrorRate() * measured.asked));
    this.#showKey();
  }
}

/** Shows a small filter of a kind, with what the state says was done to it. */
export async function showSmall(stage: Stage, kind: PictureKind, options: ViewOptions = {}): Promise<void> {
  const { begin = '' } = options;
  const { key, actions } = fromParameters(stage.state.size > 0 ? stage.state : new URLSearchParams(begin));
  const model = await Model.create(kind, stage.engine, actions);
  // Something else may be shown by now.
  if (!stage.root.isConnected) return;
  new View(stage, model, key, options);
}
