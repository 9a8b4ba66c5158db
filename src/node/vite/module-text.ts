// The modules that imports of filters become.

import { assetKinds } from './kinds.ts';
import type { Wanted } from './query.ts';

/** Where a module finds the bytes of its filter: expressions of JavaScript, and the method that takes what they give. */
interface Reading {
  readonly file: string;
  readonly method: 'fromBytes' | 'fromChunks';
}

/** Reads the filter from the file that the bundler has written. */
export function fromAsset(reference: string): Reading {
  return { file: `fetch(import.meta.ROLLUP_FILE_URL_${reference})`, method: 'fromChunks' };
}

/** Reads the filter from another module. */
export function fromModule(id: string): Reading {
  return { file: `import(${JSON.stringify(id)}).then((module) => module.default)`, method: 'fromBytes' };
}

/**
 * The module of a filter. It loads the class as late as the file, and both at once. Calls share one load; the next call
 * after a load that has failed tries again.
 */
export function loadingText({ kind, engine }: Wanted, { file, method }: Reading): string {
  const { entry, Class } = assetKinds[kind];
  const module = engine === 'js' ? `${entry}/js` : entry;
  return `let loading;
const forget = (error) => {
  loading = undefined;
  throw error;
};
const read = ([{ ${Class.name} }, file]) => ${Class.name}.${method}(file);
export default () => (loading ??= Promise.all([import('${module}'), ${file}]).then(read).catch(forget));
`;
}

/** The module with the bytes of a filter. `atob` is what all runtimes have. */
export function bytesText(bytes: Uint8Array): string {
  return `const text = atob('${Buffer.from(bytes).toString('base64')}');
const bytes = new Uint8Array(text.length);
for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
export default bytes;
`;
}
