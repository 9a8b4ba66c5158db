// The documents that the site shows, and their pages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { about } from '../../../tools/api/read.ts';
import type { Part } from '../../src/search/find.ts';
import { filesIn } from '../stamp.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

export interface Document {
  /** The path of its Markdown in the repository. */
  readonly source: string;
  /** The path of its page below `site/`. */
  readonly page: string;
  /** Its name in the contents; by default its first heading. */
  readonly label?: string;
  /** Whether the contents list it below the document before it. */
  readonly isMember?: boolean;
}

export interface Group {
  readonly part: Part;
  readonly title: string;
  readonly documents: readonly Document[];
}

/** The first page of the documentation. */
export const FIRST_PAGE = 'docs.html';

const guide = (name: string): Document => ({ source: `docs/${name}.md`, page: `docs/${name}.html` });

const guides: readonly Group[] = [
  {
    part: 'use',
    title: 'Use',
    documents: [
      { source: 'docs/README.md', page: FIRST_PAGE, label: 'Start' },
      { source: 'README.md', page: 'docs/overview.html', label: 'Overview' },
      ...[
        'kinds',
        'streams',
        'saving',
        'opening',
        'migrating',
        'guard',
        'threads',
        'security',
        'redis',
        'redis-operations',
        'interop',
        'browsers',
        'assets',
        'weight',
        'runtimes',
        'command-line',
        'faq',
      ].map(guide),
      { source: 'examples/README.md', page: 'docs/examples.html' },
    ],
  },
  {
    part: 'background',
    title: 'Background',
    documents: [
      guide('performance'),
      { source: 'bench/README.md', page: 'docs/benchmarks.html' },
      guide('format'),
      guide('architecture'),
      { source: 'CONTRIBUTING.md', page: 'docs/contributing.html' },
      { source: 'CHANGELOG.md', page: 'docs/changelog.html' },
    ],
  },
];

/** Begins the reference. */
const inBrief: Document = { ...guide('api'), label: 'In brief' };

export const REFERENCE = 'site/build/reference';

const page = (path: string): string => `docs/api/${path}.html`;

/** The pages of an entry: its own, and one for each class and interface. */
function referenceOf(entry: string, files: readonly string[]): Document[] {
  const members = files.filter((file) => file.replace(/\/(?:classes|interfaces)\/.*$/, '') === entry);
  return [
    { source: `${REFERENCE}/${entry}/index.md`, page: page(entry) },
    ...members.map((file) => ({
      source: `${REFERENCE}/${file}`,
      page: page(file.replace(/\.md$/, '')),
      isMember: true,
    })),
  ];
}

/**
 * The documents but for the reference, in groups, in the order in which they are shown.
 *
 * @throws Error if a document in `docs/` is in no group
 */
export function guideGroups(): readonly Group[] {
  const listed = new Set([...guides.flatMap(({ documents }) => documents), inBrief].map(({ source }) => source));
  const files = filesIn(join(repository, 'docs')).filter((name) => name.endsWith('.md'));
  const missing = files.find((name) => !listed.has(`docs/${name}`));
  if (missing !== undefined) throw new Error(`docs/${missing} is in no group of tools/docs/documents.ts`);
  return guides;
}

/**
 * All documents, as `guideGroups` has them, and then the reference, which must have been made.
 *
 * @throws Error if a document in `docs/` is in no group
 */
export function allGroups(): readonly Group[] {
  const files = filesIn(join(repository, REFERENCE)).filter((name) => name.endsWith('.md'));
  const reference = [
    inBrief,
    { source: `${REFERENCE}/index.md`, page: page('index'), label: 'All entries' },
    ...[...about.keys()].flatMap((entry) => referenceOf(entry, files)),
  ];
  return [...guideGroups(), { part: 'reference', title: 'API reference', documents: reference }];
}

export function readSource(source: string): string {
  return readFileSync(join(repository, source), 'utf8');
}
