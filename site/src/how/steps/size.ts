// The three numbers of a filter, with sliders.

import { integer, percent, rareRate, short } from '../../format.ts';
import { Plot } from '../../plot/plot.ts';
import { make } from '../../shell/dom.ts';
import { figuresOf, makeSlider, renew } from '../controls.ts';
import { choices, countErrors, curve, describeSize, rateOf, type Size, sizeIn } from '../models/size.ts';
import { rateDrawing } from '../rate-plot.ts';
import type { Stage, Step } from '../step.ts';

const axes = {
  hashes: { name: 'hashes', ticks: [1, 4, 8, 12, 16], isLogarithmic: false },
  keys: { name: 'keys', ticks: [10, 100, 1000, 10_000], isLogarithmic: true },
} as const;

const names = ['bits', 'hashes', 'keys'] as const;

function show({ root, said, engine, state, keep, say }: Stage): void {
  const change = (): void => {
    draw();
    keep(new URLSearchParams(names.map((each) => [each, String(sliders[each].value)])));
  };
  const sliders = {
    bits: makeSlider('size-bits', 'Bits', choices.bits, integer, change),
    hashes: makeSlider('size-hashes', 'Hashes', choices.hashes, String, change),
    keys: makeSlider('size-keys', 'Keys', choices.keys, integer, change),
  };
  const places = [make('div', { class: 'plot' }), make('div', { class: 'plot' })] as const;
  const [byHashes, byKeys] = [new Plot(places[0]), new Plot(places[1])];
  const figures = figuresOf([]);
  const draw = (): void => {
    const size: Size = { bits: sliders.bits.value, hashes: sliders.hashes.value, keys: sliders.keys.value };
    const { bits, hashes, keys } = size;
    const rate = rateOf(engine, size);
    const best = engine.optimalHashes(keys, bits);
    const count = countErrors(engine, size);
    const hashCurve = {
      ...axes.hashes,
      points: curve(engine, size, 'hashes'),
      at: { x: hashes, y: rate },
      best: Math.min(best, choices.hashes.length),
      title: `Error rates with 1 to ${choices.hashes.length} hashes. ${best} err least; with ${hashes} it is ${rareRate(rate)}.`,
    };
    const keyCurve = {
      ...axes.keys,
      points: curve(engine, size, 'keys'),
      at: { x: keys, y: rate },
      title: `The error rate rises with the number of keys. With ${integer(keys)} it is ${rareRate(rate)}.`,
    };
    byHashes.draw((width, height) => rateDrawing(hashCurve, width, height));
    byKeys.draw((width, height) => rateDrawing(keyCurve, width, height));
    renew(
      figures,
      figuresOf([
        [rareRate(rate), 'of absent keys look present, by the formula'],
        [integer(count.wrong), 'of 10,000 do, when counted'],
        [short(bits / keys), 'bits for each key'],
        [integer(best), 'hashes err least'],
        [percent(Math.round(1000 * count.fill) / 1000), 'of the bits are set'],
      ]),
    );
    say(describeSize(size, rate, best, count));
  };
  const begin = sizeIn(state);
  for (const name of names) sliders[name].value = begin[name];
  root.append(
    make('div', { class: 'sliders' }, ...names.map((name) => sliders[name].root)),
    make('div', { class: 'sides' }, ...places),
    said,
    figures,
  );
  draw();
}

export const step: Step = {
  text: ['Move the sliders: the curves are the formula, and the count is of a real filter.'],
  show,
};
