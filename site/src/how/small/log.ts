// What was done to a small filter, so that a link can do it again.

/** An action that changes the filter. */
export type Action =
  | { readonly type: 'add'; readonly key: string }
  | { readonly type: 'remove'; readonly key: string }
  /** Names that the page makes. */
  | { readonly type: 'names'; readonly count: number };

/** A key, and what was done before. */
export interface Story {
  readonly key: string;
  readonly actions: readonly Action[];
}

/** The most actions in an address, and the most names and characters of a key that one of them may have. */
export const MOST_ACTIONS = 100;
export const MOST_NAMES = 1000;
export const MOST_CHARACTERS = 100;

/** Adds an action to those before it. Names that follow names are one action. */
export function append(actions: readonly Action[], action: Action): Action[] {
  const last = actions.at(-1);
  if (action.type !== 'names' || last?.type !== 'names') return [...actions, action];
  return [...actions.slice(0, -1), { ...last, count: last.count + action.count }];
}

/** The parameter of an action: `a` adds, `r` removes, `n` adds names. */
function parameterOf(action: Action): [name: string, value: string] {
  if (action.type === 'names') return ['n', String(action.count)];
  return [action.type === 'add' ? 'a' : 'r', action.key];
}

/** The story as parameters of an address; undefined if it is too long for one. */
export function toParameters({ key, actions }: Story): URLSearchParams | undefined {
  const isTooLong = actions.some((action) => action.type === 'names' && action.count > MOST_NAMES);
  if (isTooLong || actions.length > MOST_ACTIONS) return undefined;
  return new URLSearchParams([['key', key], ...actions.map(parameterOf)]);
}

function actionOf(name: string, value: string): Action | undefined {
  if (value.length > MOST_CHARACTERS) return undefined;
  if (name === 'a') return { type: 'add', key: value };
  if (name === 'r') return { type: 'remove', key: value };
  if (name !== 'n') return undefined;
  const count = Number(value);
  return Number.isInteger(count) && count > 0 && count <= MOST_NAMES ? { type: 'names', count } : undefined;
}

/** The story in an address. What cannot be read, or is too long, is left out. */
export function fromParameters(parameters: URLSearchParams): Story {
  const actions = [...parameters].flatMap(([name, value]) => actionOf(name, value) ?? []);
  const key = parameters.get('key') ?? 'ada';
  return { key: key.slice(0, MOST_CHARACTERS), actions: actions.slice(0, MOST_ACTIONS) };
}
