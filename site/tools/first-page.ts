// The parts of the first page that are made when the site is built: the commands that install the package, the
// chart of speeds, and the picture of the kinds.

import type { Plugin } from 'vite';
import { installCommands, thisPackage } from '../../tools/package-name.ts';
import { kindsPicture } from './kinds-picture.ts';
import { newestSpeedChart } from './speed-chart.ts';

/** Where each command is run, if there is no release: see `installCommands`. */
const PLACES = ['In a clone of the repository', 'In your project, with the path of the file that this makes'];

/** The commands, each with a button that copies it. */
export function installPart(of: Parameters<typeof installCommands>[0]): string {
  const commands = installCommands(of).map((command, i) => {
    const place = of.published ? '' : `<p class="small muted">${PLACES[i]}:</p>\n`;
    const code = command.replaceAll('&', '&amp;');
    const button = `<button type="button" data-copy="${code}" aria-label="Copy: ${code}">Copy</button>`;
    return `${place}<div class="command"><code>${code}</code>${button}</div>`;
  });
  const note = of.published ? '' : '<p class="small">There is no release yet, so the package is made first.</p>\n';
  return `${note}${commands.join('\n')}`;
}

export function firstPage(): Plugin {
  const parts: Readonly<Record<string, () => string>> = {
    install: () => installPart(thisPackage),
    speeds: newestSpeedChart,
    kinds: kindsPicture,
  };
  return {
    name: 'bloomery-first-page',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replaceAll(/<!-- (\w+) -->/g, (mark, name) => parts[name]?.() ?? mark),
    },
  };
}
