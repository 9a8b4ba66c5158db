// Examples for the reference: the code of the guides, which is tested there.

import GithubSlugger from 'github-slugger';

export interface Example {
  readonly code: string;
  /** The document that has it, and the heading above it. */
  readonly source: string;
  readonly heading: string;
  readonly anchor: string;
  /** The names that it imports from this package, and where from. */
  readonly imports: ReadonlyMap<string, string>;
}

function importsOf(code: string): Map<string, string> {
  const statements = code.matchAll(/^import (?:type )?\{([^}]*)\} from '(bloomery[^']*)';$/gm);
  return new Map(
    Array.from(statements).flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => [name.replace(/^\s*type /, '').trim(), from] as const),
    ),
  );
}

/** The examples of a document in Markdown, from the first to the last. */
export function examplesIn(source: string, markdown: string): Example[] {
  const slugger = new GithubSlugger();
  const found: Example[] = [];
  let heading = '';
  let anchor = '';
  for (const [, title, language, code = ''] of markdown.matchAll(/^#+ (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) {
      heading = title.replaceAll('`', '');
      anchor = slugger.slug(heading);
    } else if (language === 'ts') {
      found.push({ code: code.trimEnd(), source, heading, anchor, imports: importsOf(code) });
    }
  }
  return found;
}
