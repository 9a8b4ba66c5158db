import { readFileSync } from 'node:fs';

export interface Block {
  /** The file and the line where the block's code begins, as 'README.md:28'. */
  readonly place: string;
  readonly line: number;
  readonly heading: string;
  /** `ts`, `js`, `sh`, or empty for a drawing. */
  readonly language: string;
  readonly code: string;
}

const FENCE = /^( *)```(\S*)$/;

/** The code blocks of a file, in order. A block may be indented, as in a list. */
export function slicesOf(path: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(path, 'utf8').split('\n');
  let heading = '';
  for (let at = 0; at < lines.length; at++) {
    const text = lines[at] as string;
    const [, indent, language = ''] = FENCE.exec(text) ?? [];
    if (text.startsWith('#')) heading = text.replace(/^#+ /, '');
    if (indent === undefined) continue;
    const line = at + 2;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`${path}:${line}: a code block that does not end`);
    const code = lines.slice(at + 1, end).map((inner) => inner.slice(indent.length));
    blocks.push({ place: `${path}:${line}`, line, heading, language, code: code.join('\n') });
    at = end;
  }
  return blocks;
}
