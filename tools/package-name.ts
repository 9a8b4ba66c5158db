// The name of the package, and where it is installed from: `name` and `version` of package.json, and `published`. `npm
// run rename` writes commands and links for them into the documents; `npm run rename -- NAME` changes the name.

import { readFileSync, writeFileSync } from 'node:fs';

/** Whether the registry has this version. If not, the documents say how to install a clone. */
export const published: boolean = false;

interface Package {
  readonly name: string;
  readonly version: string;
  readonly published: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string; exports: object };

export const thisPackage: Package = { name: manifest.name, version: manifest.version, published };

/** The file that `npm pack` makes. */
function tarballOf({ name, version }: Package): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** Commands that install the package, in the order of the documents. */
export function installCommands(of: Package): string[] {
  return of.published ? [`npm install ${of.name}`] : ['npm ci && npm pack', `npm install ./${tarballOf(of)}`];
}

const code = (language: string, ...lines: string[]): string => [`\`\`\`${language}`, ...lines, '```'].join('\n');

function install(of: Package): string {
  const [first = '', second = ''] = installCommands(of);
  if (of.published) return code('sh', first);
  const width = second.length + 3;
  const commands = code(
    'sh',
    `${first.padEnd(width)}# in a clone of the repository: makes ${tarballOf(of)}`,
    `${second.padEnd(width)}# in your project, with the path of that file`,
  );
  return `There is no release yet. Make the package, and install the file:\n\n${commands}`;
}

function page(of: Package, ...more: string[]): string {
  const file = 'dist/bloomery.min.js';
  const url = of.published ? `https://cdn.jsdelivr.net/npm/${of.name}@${of.version}/${file}` : './bloomery.min.js';
  const origin = of.published ? '' : `  // A copy of the package's ${file}.\n`;
  return code(
    'html',
    '<script type="module">',
    `${origin}  import { BloomFilter } from '${url}';`,
    ...more,
    '</script>',
  );
}

function addresses({ name, version, published: exists }: Package): string {
  if (!exists) {
    return `\`npm run integrity\`, in a clone of the repository, prints the hashes of both files, for the attribute
\`integrity\` of a script and for that of an import map.`;
  }
  return `The notes of each release give the hashes of both files, for the attribute \`integrity\` of a script and for that of
an import map. \`https://unpkg.com/${name}@${version}\` and \`https://cdn.jsdelivr.net/npm/${name}@${version}\`,
without a path, are the classic script.`;
}

function command({ name, published: exists }: Package): string {
  return exists
    ? `\`npm install -g ${name}\` installs the command \`bloomery\`; \`npx ${name}\` runs it without installing.`
    : `Where the package is [installed](../README.md#install), \`npx ${name}\` runs the command \`bloomery\`.`;
}

/** The texts between `<!-- NAME -->` and `<!-- /NAME -->` in the documents. */
export function sectionsOf(of: Package): { file: string; name: string; text: string }[] {
  return [
    { file: 'README.md', name: 'install', text: install(of) },
    { file: 'README.md', name: 'page', text: page(of) },
    {
      file: 'docs/browsers.md',
      name: 'page',
      text: page(of, '', "  const taken = BloomFilter.from(['ada', 'grace']);"),
    },
    { file: 'docs/browsers.md', name: 'addresses', text: addresses(of) },
    { file: 'docs/command-line.md', name: 'install', text: command(of) },
  ];
}

/** Matches a section with its marks. */
export function sectionIn(name: string): RegExp {
  return new RegExp(`<!-- ${name} -->\n[^]*?\n<!-- /${name} -->`);
}

export function marked(name: string, text: string): string {
  return `<!-- ${name} -->\n${text}\n<!-- /${name} -->`;
}

export function writeSections(of: Package): void {
  for (const { file, name, text } of sectionsOf(of)) {
    const document = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      document.replace(sectionIn(name), () => marked(name, text)),
    );
  }
}

const entries = Object.keys(manifest.exports)
  .map((path) => path.slice('./'.length))
  .filter((path) => path !== '')
  .sort((a, b) => b.length - a.length)
  .join('|')
  .replaceAll('.', '\\.');

/**
 * Replaces the name of the package in a text, where it is imported, installed or listed. The project, its command, its
 * global variable and its files keep their names.
 */
export function renamed(text: string, from: string, to: string): string {
  const old = from.replaceAll(/[./]/g, '\\$&');
  const places = [
    // An entry, wherever it is named.
    `(?<![\\w/@.-])${old}(?=/(?:${entries})(?![\\w.-]))`,
    // An import whose path the code completes.
    `(?<=from ')${old}(?=\\$\\{)`,
    `(?<=(?:from|import|require\\(|import\\(|entry:|js' :) ?['"])${old}(?=['"])`,
    // Rows of tests: the entry before or after the class.
    `(?<=^ *\\[?')${old}(?=',(?:$| '[A-Z]))`,
    `(?<=\\['\\w+Filter', ')${old}(?='\\])`,
    // Manifests.
    `(?<="name": ")${old}(?=")`,
    `(?<=")${old}(?=": (?:"file:|\\["\\./src))`,
    `(?<=node_modules/)${old}(?=["'/])`,
    `(?<=\`)(?<!(?:\\bthe (?:command|variable)|JSON has) \`)${old}(?=\`)`,
    `(?<=\`')${old}(?='\`)`,
    `(?<=npx )${old}(?![\\w/-])`,
  ];
  return text.replaceAll(new RegExp(places.join('|'), 'gm'), () => to);
}
