// Parts of documents that programs write, between `<!-- NAME -->` and `<!-- /NAME -->`.

/** Matches a section with its marks. */
export function sectionIn(name: string): RegExp {
  return new RegExp(`<!-- ${name} -->\n[^]*?\n<!-- /${name} -->`);
}

export function marked(name: string, text: string): string {
  return `<!-- ${name} -->\n${text}\n<!-- /${name} -->`;
}
