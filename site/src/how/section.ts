// The frame of a step: its title, its text, its picture, what an action did, and links to it.

import type { Engine } from '../engine.ts';
import { copyText } from '../shell/copy.ts';
import { make } from '../shell/dom.ts';
import { embedCode, toFragment } from './address.ts';
import { button } from './controls.ts';
import type { StepRow } from './step.ts';

/** Browsers refuse to write the address more often than about three times a second. */
const WRITE_MS = 400;
/** What a frame has besides the step, in pixels: its padding, and a line below. */
const SPARE = 96;

export class Section {
  readonly row: StepRow;
  readonly root: HTMLElement;
  readonly #text = make('div', { class: 'step-text' });
  readonly #stage = make('div', { class: 'step-stage panel' });
  readonly #onKeep: (section: Section) => void;
  #state = new URLSearchParams();
  #isWhole = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onKeep is called, not too often, when the step has a new state */
  constructor(row: StepRow, onKeep: (section: Section) => void) {
    this.row = row;
    this.#onKeep = onKeep;
    const { id, title } = row;
    const heading = make('h2', { id: `${id}-title`, class: 'step-head' }, title);
    this.root = make('section', { class: 'step rows', id, 'aria-labelledby': heading.id }, heading);
    // The reader has followed a link meanwhile, whose address would be overwritten.
    addEventListener('hashchange', () => clearTimeout(this.#timer));
  }

  /** The fragment that leads here, with the state. */
  get fragment(): string {
    return toFragment({ id: this.row.id, state: this.#state });
  }

  /** Shows the step from its beginning, or from a state; or says that it cannot be shown. */
  async show(engine: Engine, state: URLSearchParams): Promise<void> {
    try {
      await this.#showStep(engine, state);
    } catch (error) {
      const text = 'This step did not load. Reload the page to try again.';
      this.#text.replaceChildren(make('p', { role: 'alert' }, text));
      this.#stage.remove();
      this.root.append(this.#text);
      reportError(error);
    }
    this.root.dataset['shown'] = this.row.id;
  }

  async #showStep(engine: Engine, state: URLSearchParams): Promise<void> {
    const { step } = await this.row.load();
    this.#state = state;
    this.#isWhole = true;
    this.#text.replaceChildren(...step.text.map((paragraph) => make('p', {}, paragraph)));
    const root = make('div', { class: 'rows' });
    const said = make('p', { class: 'said', id: `${this.row.id}-said` });
    this.#stage.replaceChildren(root);
    // Only now, so that the text does not push an empty panel down.
    if (!this.#stage.isConnected) this.root.append(this.#text, this.#stage);
    await step.show({
      root,
      said,
      engine,
      state,
      keep: (kept, isKept = true) => this.#keep(kept, isKept),
      say: (text) => {
        said.textContent = text;
      },
    });
    // Only now, so that nobody hears how each step begins.
    said.setAttribute('role', 'status');
  }

  #keep(state: URLSearchParams, isWhole: boolean): void {
    this.#state = state;
    this.#isWhole = isWhole;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onKeep(this), WRITE_MS);
  }

  /** The height of the step in a frame, as far as it can be known: the frame may be narrower than most. */
  #heightInFrame(): number {
    const copied = this.root.cloneNode(true) as HTMLElement;
    for (const link of copied.querySelectorAll('.sharing')) link.remove();
    const frame = make('div', { class: 'as-in-frame', 'aria-hidden': 'true' }, copied);
    document.body.append(frame);
    const { offsetHeight } = copied;
    frame.remove();
    return offsetHeight;
  }

  /** Adds the buttons that give a link to the step, and the code that embeds it. */
  addSharing(): void {
    const { id, title } = this.row;
    const note = make('span', { class: 'muted small', role: 'status' });
    const tell = (text: string): void => {
      note.textContent = text;
    };
    const link = button('Copy link', async () => {
      const isCopied = await copyText(new URL(this.fragment, location.href).href);
      const what = this.#isWhole ? 'with what was done here' : 'without what was done here, which is too long for it';
      tell(isCopied ? `The link is copied, ${what}.` : 'The link is in the address.');
      history.replaceState(null, '', this.fragment);
    });
    const code = make('textarea', { id: `${id}-embed`, readonly: '', rows: '3', spellcheck: 'false' });
    const writeCode = (): void => {
      const url = new URL(`embed.html${this.fragment}`, location.href).href;
      code.value = embedCode(url, `How it works: ${title}`, this.#heightInFrame() + SPARE);
    };
    const copyCode = button('Copy code', async () => {
      writeCode();
      code.select();
      tell((await copyText(code.value)) ? 'The code is copied.' : 'The code is selected.');
    });
    const embed = make(
      'details',
      { class: 'embed' },
      make('summary', {}, 'Embed'),
      make('label', { for: `${id}-embed`, class: 'small' }, 'HTML that shows this picture on your page'),
      code,
      copyCode,
    );
    embed.addEventListener('toggle', writeCode);
    const sharing = make('div', { class: 'buttons sharing' }, link, embed, note);
    this.root.append(sharing);
  }
}
