// The results of the comparison with native code, as Markdown that is readable in a terminal.

import { describeMachine, thisMachine } from './machine.ts';
import type { Result, Timing } from './native-rounds.ts';
import { BLOCK_BITS } from './native-subject.ts';
import { type Align, integer, tableOf } from './report.ts';
import { median, ratioOf, type Spread } from './statistics.ts';

const ALIGN: readonly Align[] = ['left', 'right', 'right', 'right', 'right'];

const LABELS = { add: 'add', addFlags: 'add, with flags', hit: 'has, present keys', miss: 'has, absent keys' };

/** bloomery's speed as a share of native code's. */
export function shareOf({ native, bloomery }: Timing): Spread {
  return ratioOf(bloomery, native);
}

function nanoseconds(times: readonly number[]): string {
  return median(times).toFixed(1);
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function rowOf(timing: Timing): string[] {
  const share = shareOf(timing);
  const label = `${timing.kind} ${LABELS[timing.operation]}`;
  const spread = `${Math.round(100 * share.lowest)}–${percent(share.highest)}`;
  return [label, nanoseconds(timing.native), nanoseconds(timing.bloomery), percent(share.median), spread];
}

/** The false positives, which are the same on both sides. */
function errorsOf({ timings }: Result): string {
  return timings
    .filter(({ operation }) => operation === 'miss')
    .map(({ kind, flagged, keys }) => `${kind} ${integer.format(flagged)} (${((100 * flagged) / keys).toFixed(3)} %)`)
    .join(', ');
}

function section(result: Result): string {
  const { title, present, absent, sizes, hashing, timings } = result;
  const megabytes = (bits: number): string => `${(bits / 8e6).toFixed(1)} MB`;
  const head = ['ns per key', 'native', 'bloomery', 'bloomery’s speed', 'lowest–highest'];
  return `## ${integer.format(present)} ${title}

Plus ${integer.format(absent)} absent keys. Classic: ${megabytes(sizes.bits)}, ${sizes.hashes} hashes; blocked: ${megabytes(BLOCK_BITS * sizes.blocks)}.

${tableOf(head, [...timings.map(rowOf), ['reading and hashing alone', nanoseconds(hashing), '', '', '']], ALIGN)}

Both sides set the same bits and gave the same answers. False positives: ${errorsOf(result)}.`;
}

export function markdown(results: readonly Result[], rounds: number): string {
  const [first] = results;
  const native = first ? `${first.program.compiler} -O3 -march=native, ${first.program.simd}` : '';
  return `# bloomery and native code

${describeMachine(thisMachine())}; ${native}.

Medians over ${rounds} round${rounds === 1 ? '' : 's'}, one thread. 100 % is native speed; below is slower. Ratios are taken within a round:
median, lowest and highest.

${results.map(section).join('\n\n')}`;
}
