// The parts of pages that are made when the site is built: the commands that install the package, the chart of speeds,
// and the pictures of kinds.

import type { Plugin } from 'vite';
import { kindsPicture } from './kinds-picture.ts';
import { project } from './project.ts';
import { newestSpeedChart } from './speed-chart.ts';

/** The commands that install the package while there is no release, and where each is run. */
const COMMANDS = [
  ['In a clone of the repository', 'npm ci && npm pack'],
  [
    'In your project, with the path of the file that this makes',
    `npm install ./${project.name}-${project.version}.tgz`,
  ],
] as const;

/** The commands, each with a button that copies it. */
function installPart(): string {
  const commands = COMMANDS.map(([place, command]) => {
    const code = command.replaceAll('&', '&amp;');
    const button = `<button type="button" data-copy="${code}" aria-label="Copy: ${code}">Copy</button>`;
    return `<div><p class="small muted">${place}:</p>\n<div class="command"><code>${code}</code>${button}</div></div>`;
  });
  return commands.join('\n');
}

export function firstPage(): Plugin {
  const parts: Readonly<Record<string, () => string>> = {
    install: installPart,
    speeds: newestSpeedChart,
    kinds: () => kindsPicture('all'),
    usual: () => kindsPicture('usual'),
  };
  return {
    name: 'bloomery-first-page',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replaceAll(/<!-- (\w+) -->/g, (mark, name) => parts[name]?.() ?? mark),
    },
  };
}
