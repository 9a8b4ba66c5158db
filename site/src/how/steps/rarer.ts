// The kinds for which there is mostly a better one, cell by cell.

import { make } from '../../shell/dom.ts';
import type { PictureKind } from '../small/kind.ts';
import { pictureKinds } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Stage, Step } from '../step.ts';

const kinds = pictureKinds.filter(({ rarer }) => rarer !== undefined);

function show(stage: Stage): Promise<void> {
  const { state, root, keep } = stage;
  const chosen = kinds.find(({ name }) => name === state.get('kind')) ?? (kinds[0] as PictureKind);
  let body = make('div', { class: 'step-picture' });
  /** Shows a kind in a place of its own, because the one before may still be loading. */
  const showKind = (kind: PictureKind, begin: URLSearchParams): Promise<void> => {
    const next = make('div', { class: 'step-picture' }, make('p', {}, kind.rarer?.about ?? ''));
    body.replaceWith(next);
    body = next;
    return showSmall({ ...stage, root: next, state: begin }, kind, { parameters: { kind: kind.name } });
  };
  const radios = kinds.map((kind) => {
    const { name, rarer } = kind;
    const radio = make('input', { type: 'radio', name: 'rarer', value: name, autocomplete: 'off' });
    radio.checked = kind === chosen;
    radio.addEventListener('change', () => {
      const begin = new URLSearchParams({ kind: name });
      keep(begin);
      void showKind(kind, begin);
    });
    return make('label', {}, radio, rarer?.label ?? '');
  });
  const legend = make('legend', { class: 'spoken' }, 'Kind of filter');
  root.append(make('fieldset', { class: 'choices' }, legend, ...radios), body);
  return showKind(chosen, state);
}

export const step: Step = {
  text: [
    'For rarer needs: an endless stream in constant memory, exact counts of many copies, keys with labels. For each there is mostly a better kind, which the text names.',
  ],
  show,
};
