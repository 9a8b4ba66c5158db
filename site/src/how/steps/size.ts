// The three numbers of a filter, with sliders.

import './size.css';
import { integer, percent, rareRate, short } from '../../format.ts';
import { make } from '../../shell/dom.ts';
import { Figures, Slider } from '../controls.ts';
import { bestHashes, choices, countErrors, curve, describeSize, rateOf, type Size, sizeIn } from '../models/size.ts';
import { Plot } from '../plot.ts';
import type { Stage, Step } from '../step.ts';

const ticks = { hashes: [1, 4, 8, 12, 16], keys: [10, 100, 1000, 10_000] } as const;

function show({ root, said, engine, state, keep, say }: Stage): void {
  const begin = sizeIn(state);
  const sliders = {
    bits: new Slider('size-bits', 'Bits', choices.bits, integer),
    hashes: new Slider('size-hashes', 'Hashes', choices.hashes, String),
    keys: new Slider('size-keys', 'Keys', choices.keys, integer),
  };
  const byHashes = new Plot({ name: 'hashes', ticks: ticks.hashes, isLogarithmic: false });
  const byKeys = new Plot({ name: 'keys', ticks: ticks.keys, isLogarithmic: true });
  const figures = new Figures({
    rate: 'of absent keys look present, by the formula',
    counted: 'of 10,000 do, when counted',
    perKey: 'bits for each key',
    best: 'hashes err least',
    fill: 'of the bits are set',
  });
  const draw = (): void => {
    const size: Size = { bits: sliders.bits.value, hashes: sliders.hashes.value, keys: sliders.keys.value };
    const { bits, hashes, keys } = size;
    const [rate, best, count] = [rateOf(engine, size), bestHashes(engine, size), countErrors(engine, size)];
    byHashes.draw(
      curve(engine, size, 'hashes', choices.hashes),
      [hashes, rate],
      `Error rates with 1 to ${choices.hashes.length} hashes. ${best} err least; with ${hashes} it is ${rareRate(rate)}.`,
      Math.min(best, choices.hashes.length),
    );
    byKeys.draw(
      curve(engine, size, 'keys', choices.keys),
      [keys, rate],
      `The error rate rises with the number of keys. With ${integer(keys)} it is ${rareRate(rate)}.`,
    );
    figures.set('rate', rareRate(rate));
    figures.set('counted', integer(count.wrong));
    figures.set('perKey', short(bits / keys));
    figures.set('best', integer(best));
    figures.set('fill', percent(Math.round(1000 * count.fill) / 1000));
    say(describeSize(size, rate, best, count));
  };
  const names = ['bits', 'hashes', 'keys'] as const;
  for (const name of names) {
    sliders[name].value = begin[name];
    sliders[name].onChange(() => {
      draw();
      keep(new URLSearchParams(names.map((each) => [each, String(sliders[each].value)])));
    });
  }
  root.append(
    make('div', { class: 'sliders' }, ...names.map((name) => sliders[name].root)),
    make('div', { class: 'plots' }, byHashes.root, byKeys.root),
    said,
    figures.root,
  );
  draw();
}

export const step: Step = {
  text: [
    'Three numbers decide how often a filter errs: m bits, k hashes, n keys. With few hashes a lookup checks too little; many fill the array. The best k is about 0.69 m/n: then half of the bits are set.',
    '10 bits for each key give about 1 % of errors, and 5 more make errors ten times as rare, however long the keys are. Move the sliders: the curves are the formula, the count is a real filter.',
  ],
  show,
};
