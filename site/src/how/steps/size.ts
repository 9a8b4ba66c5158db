// The three numbers of a filter, with sliders.

import { integer, percent, rareRate, short } from '../../format.ts';
import { Plot } from '../../plot/plot.ts';
import { make } from '../../shell/dom.ts';
import { Figures, Slider } from '../controls.ts';
import { choices, countErrors, curve, describeSize, rateOf, type Size, sizeIn } from '../models/size.ts';
import { rateDrawing } from '../rate-plot.ts';
import type { Stage, Step } from '../step.ts';

const axes = {
  hashes: { name: 'hashes', ticks: [1, 4, 8, 12, 16], isLogarithmic: false },
  keys: { name: 'keys', ticks: [10, 100, 1000, 10_000], isLogarithmic: true },
} as const;

function show({ root, said, engine, state, keep, say }: Stage): void {
  const begin = sizeIn(state);
  const sliders = {
    bits: new Slider('size-bits', 'Bits', choices.bits, integer),
    hashes: new Slider('size-hashes', 'Hashes', choices.hashes, String),
    keys: new Slider('size-keys', 'Keys', choices.keys, integer),
  };
  const places = [make('div', { class: 'plot' }), make('div', { class: 'plot' })] as const;
  const [byHashes, byKeys] = [new Plot(places[0]), new Plot(places[1])];
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
    const [rate, best, count] = [
      rateOf(engine, size),
      engine.optimalHashes(size.keys, size.bits),
      countErrors(engine, size),
    ];
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
    make('div', { class: 'sides' }, ...places),
    said,
    figures.root,
  );
  draw();
}

export const step: Step = {
  text: ['Move the sliders: the curves are the formula, and the count is of a real filter.'],
  show,
};
