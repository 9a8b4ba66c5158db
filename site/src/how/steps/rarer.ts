// The kinds for which there is mostly a better one, cell by cell.

import { make } from '../../shell/dom.ts';
import { type KindName, kindOf } from '../small/kinds.ts';
import { showSmall } from '../small/view.ts';
import type { Stage, Step } from '../step.ts';

interface Choice {
  readonly name: KindName;
  readonly label: string;
  readonly about: string;
}

const choices: readonly Choice[] = [
  {
    name: 'stable',
    label: 'Stable',
    about:
      'Each key first counts 8 counters in a row down, at a random place, then sets its own 3 to 3. So some counters are always 0, and errors stay rare however many keys come. But any key may be forgotten: a rotating filter of the same size misses fewer.',
  },
  {
    name: 'dleft',
    label: 'D-left',
    about:
      'A key has a bucket, a column here, in each of 4 tables. The remainder of its hash goes to the emptiest, with a count of its copies. It counts up to 96 copies exactly; for keys that come once, a cuckoo filter is smaller.',
  },
  {
    name: 'spatial',
    label: 'Spatial',
    about:
      'Here is a label, 0 to 3, where a classic filter has a bit. Adding a key raises its 4 cells to its label, and a lookup gives the least label of its cells: never a lower one than its own. If the keys fit into a map, take that.',
  },
];

function show(stage: Stage): Promise<void> {
  const { state, root, keep } = stage;
  const chosen = choices.find(({ name }) => name === state.get('kind')) ?? (choices[0] as Choice);
  let body = make('div', { class: 'step-picture' });
  /** Shows a kind in a place of its own, because the one before may still be loading. */
  const showKind = ({ name, about }: Choice, begin: URLSearchParams): Promise<void> => {
    const next = make('div', { class: 'step-picture' }, make('p', {}, about));
    body.replaceWith(next);
    body = next;
    return showSmall({ ...stage, root: next, state: begin }, kindOf(name), { parameters: { kind: name } });
  };
  const radios = choices.map((choice) => {
    const { name, label } = choice;
    const radio = make('input', { type: 'radio', name: 'rarer', value: name, autocomplete: 'off' });
    radio.checked = choice === chosen;
    radio.addEventListener('change', () => {
      const begin = new URLSearchParams({ kind: name });
      keep(begin);
      void showKind(choice, begin);
    });
    return make('label', {}, radio, label);
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
