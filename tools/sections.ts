// Parts of documents that programs write, between `<!-- NAME -->` and `<!-- /NAME -->`.

import { readFileSync, writeFileSync } from 'node:fs';

/** The document, cut around the text of a section. */
function cut(path: URL, name: string): [before: string, text: string, after: string] {
  const marks = new RegExp(`^([^]*<!-- ${name} -->\n)([^]*?)(\n<!-- /${name} -->[^]*)$`);
  const [, before, text, after] = marks.exec(readFileSync(path, 'utf8')) ?? [];
  if (before === undefined) throw new Error(`${path.pathname} has no section ${name}`);
  return [before, text as string, after as string];
}

const pathOf = (document: string): URL => new URL(`../${document}`, import.meta.url);

/**
 * @param document its path in the repository
 * @throws Error if it has no such section
 */
export function readSection(document: string, name: string): string {
  return cut(pathOf(document), name)[1];
}

/** Replaces the text of a section. The parameters and errors are those of `readSection`. */
export function writeSection(document: string, name: string, text: string): void {
  const [before, , after] = cut(pathOf(document), name);
  writeFileSync(pathOf(document), before + text + after);
}
