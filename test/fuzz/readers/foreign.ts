// Filters in the formats of other systems.

import { FilterFullError, SavedFilterError } from '../../../src/index.ts';
import { formats } from '../../foreign/formats.ts';
import { damageBytes } from '../damage/bytes.ts';
import { areSame, attempt, pick, type Reader, require } from '../subject.ts';

const isRefusal = (error: unknown): boolean => error instanceof SavedFilterError && error.reason !== '';

export const foreignReaders: readonly Reader[] = formats.map(
  ({ name, classes, variants, readingOptions, hasForms }) => {
    const originals = variants.flatMap((variant) =>
      [3, 10, 60].map((capacity) => {
        const filter = new classes[0]({ capacity, errorRate: 0.05, ...variant });
        return { bytes: filter.addMany(['a', 'b', 'c']).toBytes(), options: readingOptions?.(variant) ?? {} };
      }),
    );
    return {
      name: `format of ${name}`,
      share: 15_000,
      run(subject) {
        const { random } = subject;
        const { bytes, options } = pick(random, originals);
        let file: Uint8Array = bytes.slice();
        for (let times = random(3); times >= 0; times--) file = damageBytes(file, random);
        subject.input = file;
        // The engine in plain JavaScript is slow, and a few inputs are enough for it.
        const Class = classes[random(20) === 0 ? 1 : 0];
        using filter = attempt(() => Class.fromBytes(file, options), isRefusal);
        if (filter === undefined) return 'refused';
        const fill = filter.fillRatio();
        require(fill >= 0 && fill <= 1, `a fill ratio of ${fill} is between 0 and 1`);
        require(filter.hasMany(['a', 'x']).length === 2, 'there is an answer for each key');
        const saved = filter.toBytes();
        const same = hasForms ? Class.fromBytes(saved, options).toBytes() : file;
        require(areSame(saved, same), 'a filter is saved as the bytes that it was loaded from');
        const add = () => [filter.add('x')];
        // A damaged filter may be full, and unable to grow.
        const added = attempt(add, (error) => error instanceof FilterFullError);
        require(filter.has('x') || added === undefined, 'a key that was added is found');
        return 'read';
      },
    };
  },
);
