// The chart of lookups a second as HTML, which stays readable on narrow pages, from the saved results of
// `npm run bench -- peers`.

import { aboutKeys, choicesOf, speedOf, speedText, temperatures } from '../../bench/peers/choices.ts';
import { describeMachine } from '../../bench/shared/machine.ts';
import { savedResults } from '../../bench/shared/report.ts';

function bar(share: number, className: string): string {
  const width = (1000 * share).toFixed(0);
  return `<svg class="${className}" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"/></svg>`;
}

/** The chart of the run on the newest version of Node: a row for each choice, a bar for each temperature of its strings. */
export function newestSpeedChart(): string {
  const [report] = savedResults('peers');
  if (report === undefined) throw new Error('bench/results/ has no results of peers');
  const rows = choicesOf(report).map(({ label, ours, result }) => ({
    label,
    ours,
    speeds: temperatures.flatMap(({ set, name }) => {
      const hit = result(set, 'hit');
      return hit ? [{ name, speed: speedOf(hit.nanoseconds.median) }] : [];
    }),
  }));
  const fastest = Math.max(...rows.flatMap(({ speeds }) => speeds.map(({ speed }) => speed)));
  const items = rows.map(({ label, ours, speeds }) => {
    const bars = speeds.map(
      ({ name, speed }) =>
        `<div class="speed">${bar(speed / fastest, `bar ${name}`)}<span class="number">${speedText(speed)}<span class="spoken"> million a second, ${name}</span></span></div>`,
    );
    return `<li${ours ? ' class="ours"' : ''}><span class="speed-name">${label}</span><div>${bars.join('')}</div></li>`;
  });
  return `<ul class="speeds">\n${items.join('\n')}\n</ul>
<p class="small muted">Millions of present keys looked up a second: strings just made, and below, strings scattered over memory. ${aboutKeys(report)}, ${describeMachine(report.machine)}.</p>`;
}
