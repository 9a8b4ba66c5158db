// What a screen of React Native asks while a name is typed, without a request: whether it is certainly free.
// NameScreen.jsx shows it.
//
//   const names = await openNames(() => fetch('https://example.org/names.blmy'));
//   names.isFree('ada');

import { BinaryFuseFilter } from 'bloomery/fuse';

/** The part of a response that is used. React Native's has no streams. */
interface Downloaded {
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface Names {
  /** Whether nobody has this name. False asks the server, in vain for 1 free name in 100. */
  isFree(name: string): boolean;
}

/** Gives a name one spelling: a filter takes keys as they are, so two spellings would be two names. */
function spell(name: string): string {
  return name.trim().toLowerCase();
}

/** The file that the server offers. */
export function pack(names: Iterable<string>): Uint8Array<ArrayBuffer> {
  const filter = BinaryFuseFilter.from(Array.from(names, spell), { errorRate: 0.01 });
  const saved = filter.toBytes();
  filter.dispose();
  return saved;
}

/** Loads the file. */
export async function openNames(download: () => Promise<Downloaded>): Promise<Names> {
  const response = await download();
  if (!response.ok) throw new Error(`the names could not be loaded: HTTP ${response.status}`);
  const filter = BinaryFuseFilter.fromBytes(await response.arrayBuffer());
  return { isFree: (name) => !filter.has(spell(name)) };
}
