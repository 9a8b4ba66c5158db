import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const documents = ['.', 'docs', 'bench', 'examples', 'site', 'test/golden'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** The text without code, in which brackets are not links. */
function prose(document: string): string {
  return readFileSync(document, 'utf8')
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

/** The names by which links find the headings of a document. */
function anchors(document: string): string[] {
  return [...prose(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function targets(document: string): string[] {
  const links = [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

it.each(documents)('every link leads somewhere: %s', (document) => {
  const broken = targets(document).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    return !existsSync(file) || (anchor !== undefined && !anchors(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});
