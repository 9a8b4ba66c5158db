// Writes the forms of entries that dist/ has and src/ has not: for Cloudflare Workers, which refuse to compile
// WebAssembly but can import it; and for entries that are the same in every runtime, a file that passes them on, so that
// one pattern of package.json fits all entries.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { filterEntries, identifierOf, otherEntries } from './entries.ts';
import { modules } from './manifest.ts';

const ENTRIES = 'dist/entries';

/** The module of WebAssembly that an entry links to the kernel, by the entry's name. */
const linked: ReadonlyMap<string, string> = new Map(
  [...filterEntries, ...otherEntries].flatMap(({ name, memoryBase, ...row }) => {
    const module = memoryBase === undefined ? ('runsModuleOf' in row ? row.runsModuleOf : undefined) : name;
    return module === undefined ? [] : [[name, module]];
  }),
);

/** The name of the function that takes the compiled module of an entry. */
function useKernelOf(name: string): string {
  const identifier = identifierOf(name);
  return `use${identifier.charAt(0).toUpperCase()}${identifier.slice(1)}Kernel`;
}

/** The text of an entry for Cloudflare Workers. */
function workerdText(name: string, source: string): string {
  const own = linked.get(name);
  const [importOwn, useOwn] =
    own === undefined
      ? ['', '']
      : [
          `import { ${useKernelOf(name)} } from '${source}';\nimport own from '../../${own}.wasm';\n`,
          `${useKernelOf(name)}(own);\n`,
        ];
  return (
    `import { useKernel } from '../../kernel/engine-wasm.js';\nimport kernel from '../../kernel.wasm';\n${importOwn}` +
    `useKernel(kernel);\n${useOwn}export * from '${source}';\n`
  );
}

export function writeForms(): void {
  mkdirSync(`${ENTRIES}/workerd`, { recursive: true });
  for (const [name, { module, workerd }] of modules) {
    const file = basename(module);
    if (name === 'js' || name.endsWith('/js')) continue;
    const source = name === '' ? '../../index.js' : `../${file}.js`;
    const passedOn = `export * from '${source}';\n`;
    writeFileSync(`${ENTRIES}/workerd/${file}.js`, workerd === undefined ? passedOn : workerdText(name, source));
    const twin = `${ENTRIES}/js/${file}.js`;
    if (existsSync(twin)) continue;
    writeFileSync(twin, passedOn);
    writeFileSync(twin.replace(/js$/, 'd.ts'), passedOn);
  }
}
