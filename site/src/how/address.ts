// The address of a step with its state: `#size?bits=1024&hashes=4`. All of it is behind the `#`, which browsers send to
// no server, because the state can have keys that somebody has typed.

import { escapeHtml } from '../escape-html.ts';

export interface Address {
  /** The step's name. */
  readonly id: string;
  readonly state: URLSearchParams;
}

/** What a fragment says, with its `#`. The step need not exist. */
export function fromFragment(fragment: string): Address {
  const [id = '', ...rest] = fragment.replace(/^#/, '').split('?');
  return { id, state: new URLSearchParams(rest.join('?')) };
}

export function toFragment({ id, state }: Address): string {
  const query = state.toString();
  return query === '' ? `#${id}` : `#${id}?${query}`;
}

/** The whole number of a parameter within limits, or else `otherwise`. */
export function wholeIn(state: URLSearchParams, name: string, least: number, most: number, otherwise: number): number {
  const value = Number(state.get(name) ?? Number.NaN);
  return Number.isInteger(value) && value >= least && value <= most ? value : otherwise;
}

/** HTML that shows a step on another page. */
export function embedCode(url: string, title: string, height: number): string {
  const size = `width="100%" height="${height}" style="border: 0"`;
  return `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" ${size} loading="lazy"></iframe>`;
}
