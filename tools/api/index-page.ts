// Writes the index of the API, docs/api.md: what each entry exports, with the first sentence of its doc comment.
// `npm run api`.

import { writeFileSync } from 'node:fs';
import { type Api, commentOf, type Declaration, exportsOf, firstSentence, isShown, KINDS, keyOf } from './model.ts';
import { about, readApi } from './read.ts';

const FILE = 'docs/api.md';

const intro = `# API

What each entry exports, by the first sentence of its comment. The whole comments, with parameters, units, ranges, errors
and cost, are in the declarations of the package, which editors show: point at a name. The entries \`…/js\` export the
same as those without, but for the functions \`use…Kernel\`. \`npm run api\` writes this page.

Every class of filters in memory has the members of \`Filter\`, and those that take keys without labels the members of
\`GrowingFilter\`. Below each class are only the others. All of them have
`;

const titleOf = (each: Declaration): string => `${keyOf(each)}${each.signatures === undefined ? '' : '()'}`;

function line(each: Declaration): string {
  const summary = firstSentence(commentOf(each));
  return `\`${titleOf(each)}\`${summary === '' ? '' : `: ${summary}`}`;
}

const membersOf = ({ children = [] }: Declaration): Declaration[] =>
  children.filter((each) => isShown(each) && each.kind !== KINDS.constructor);

const titlesOf = (each: Declaration): Set<string> => new Set(membersOf(each).map(titleOf));

const isFilter = (titles: Set<string>): boolean => titles.has('static fromBytes()') && titles.has('toBytes()');

/** The interfaces whose members are not repeated below each class. */
const isShared = ({ name }: Declaration): boolean => /^(?:Growing)?Filter$/.test(name);

/** The index as Markdown. */
export function apiIndex(api: Api): string {
  const lists = Array.from(about.keys(), (entry) => ({ entry, exported: exportsOf(api, entry) }));
  const all = lists.flatMap(({ exported }) => exported);
  const shared = all.filter(isShared).map(titlesOf);
  const filters = all.filter((each) => each.kind === KINDS.class && isFilter(titlesOf(each)));
  const ofAll = membersOf(filters[0] as Declaration)
    .filter((member) => filters.every((each) => titlesOf(each).has(titleOf(member))))
    .filter((member) => !shared.some((titles) => titles.has(titleOf(member))));
  const ownOf = (each: Declaration): Declaration[] => {
    const titles = titlesOf(each);
    if (isShared(each)) return membersOf(each);
    const implemented = shared.filter((others) => [...others].every((title) => titles.has(title)));
    const left = new Set([
      ...(isFilter(titles) ? ofAll.map(titleOf) : []),
      ...implemented.flatMap((others) => [...others]),
    ]);
    return membersOf(each).filter((member) => !left.has(titleOf(member)));
  };
  const rowsOf = (each: Declaration): string[] => [
    `- ${line(each)}`,
    ...ownOf(each).flatMap((member) => (commentOf(member) ? [`  - ${line(member)}`] : [])),
  ];
  const sections = lists.map(({ entry, exported }) => [`## \`${entry}\``, '', ...exported.flatMap(rowsOf)].join('\n'));
  return `${intro}\n${ofAll.map((each) => `- ${line(each)}`).join('\n')}\n\n${sections.join('\n\n')}\n`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(FILE, apiIndex(readApi()));
