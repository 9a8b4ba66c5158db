import { readdirSync, readFileSync } from 'node:fs';
import { type Block, slicesOf } from './markdown.ts';

const names = readdirSync('docs').filter((name) => name.endsWith('.md'));
export const blocks = ['README.md', ...names.map((name) => `docs/${name}`)].flatMap(slicesOf);

/** A page in a document is that of an example, which the runtimes' tests run in browsers. */
export const page = readdirSync('examples/large-list').map((name) =>
  readFileSync(`examples/large-list/${name}`, 'utf8'),
);
export const isOfPage = ({ code }: Block): boolean => page.includes(`${code}\n`);

export const others = blocks.filter((block) => !isOfPage(block));
export const programs = others.filter(({ language }) => language === 'ts' || language === 'js');
export const scripts = blocks.filter(({ language }) => language === 'sh');

export const usesRedis = ({ code }: Block): boolean => /\bredis\b/i.test(code);

/** Other packages, whose code is shown beside that of this one. */
export const PEERS = ['bloom-filters', 'bloomfilter', 'mnemonist'];

export const usesPeer = ({ code }: Block): boolean => PEERS.some((name) => code.includes(`from '${name}'`));

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Commands that are not run: they install the package, or run all tests and the largest example. */
export const NOT_RUN = [
  'npm ci && npm pack',
  `npm install ./bloomery-${version}.tgz`,
  'npm ci && npm start',
  'npm ci && npm test',
];

export function commandsOf({ code }: Block): string[] {
  const lines = code.replaceAll('\\\n', '').split('\n');
  return lines.map((line) => line.replace(/(^|\s+)#.*$/, '')).filter((line) => line !== '');
}

export const runnable = (block: Block): string[] => commandsOf(block).filter((command) => !NOT_RUN.includes(command));

export const cases = (list: readonly Block[]): [string, Block][] =>
  list.map((block) => [`${block.place}, ${block.heading}`, block]);
