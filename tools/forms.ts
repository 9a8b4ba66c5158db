// Writes the forms of entries that dist/ has and src/ has not: for Cloudflare Workers, which refuse to compile
// WebAssembly but can import it; and for entries that are the same in every runtime, a file that passes them on, so that
// one pattern of package.json fits all entries.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { capitalOf, filterEntries, otherEntries } from './entries.ts';
import { modules } from './manifest.ts';

const ENTRIES = 'dist/entries';

const rows = new Map([...filterEntries, ...otherEntries].map((row) => [row.name, row]));

/** The text of an entry for Cloudflare Workers, which takes the compiled modules that it runs. */
function workerdText(name: string, source: string): string {
  const { memoryBase, runsModuleOf } = rows.get(name) ?? {};
  const module = memoryBase === undefined ? runsModuleOf : name;
  const use = `use${capitalOf(name)}Kernel`;
  const own =
    module === undefined ? [] : [`import { ${use} } from '${source}';`, `import own from '../../${module}.wasm';`];
  return [
    "import { useKernel } from '../../kernel/engine-wasm.js';",
    "import kernel from '../../kernel.wasm';",
    ...own,
    'useKernel(kernel);',
    ...(module === undefined ? [] : [`${use}(own);`]),
    `export * from '${source}';\n`,
  ].join('\n');
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
