// What every page has: the head, the header with the navigation, and the footer. A page's own file has only its title, its
// description and its script, and then its `<main>`.

import { posix } from 'node:path';
import type { Plugin } from 'vite';
import { headTags, rootOf } from './head.ts';
import { pages } from './pages.ts';
import { type Project, project } from './project.ts';

const HOME = 'index.html';
const CURRENT = ' aria-current="page"';

export function header(file: string): string {
  const root = rootOf(file);
  const link = ({ file: target, label }: (typeof pages)[number]): string => {
    const current = target === file || posix.dirname(file).startsWith(target.replace(/\.html$/, ''));
    return label === undefined ? '' : `<li><a href="${root}${target}"${current ? CURRENT : ''}>${label}</a></li>`;
  };
  return `<header class="site-header">
    <a class="skip spoken" href="#content">Skip to the content</a>
    <a class="brand" href="${root}${HOME}"${file === HOME ? CURRENT : ''}
      ><img src="/icon.svg" alt="bloomery" width="28" height="28" /><span aria-hidden="true">bloomery</span></a
    >
    <button type="button" class="menu" popovertarget="site-pages">Menu</button>
    <nav id="site-pages" aria-label="Site" popover><ul>${pages.map(link).join('')}</ul></nav>
    <form class="site-search" id="search-form" role="search">
      <input id="search" role="combobox" aria-label="Search this site" placeholder="Search"
        aria-autocomplete="list" aria-controls="search-results" aria-expanded="false" autocomplete="off"
        autocapitalize="off" spellcheck="false" enterkeyhint="go" disabled />
      <div class="search-panel">
        <p class="small muted" id="search-status" role="status"></p>
        <div id="search-results" role="listbox" aria-label="Results" tabindex="-1" hidden></div>
      </div>
    </form>
  </header>`;
}

/** Links to the project, as far as it has addresses. */
export function projectLinks(root: string, { repository, npm }: Project): string {
  const links: readonly (readonly [label: string, href: string | undefined])[] = [
    ['Source', repository],
    ['Issues', repository && `${repository}/issues`],
    ['npm (from the first release on)', npm],
    ['Changes', `${root}docs/changelog.html`],
  ];
  return links
    .flatMap(([label, href]) => (href === undefined ? [] : [`<li><a href="${href}">${label}</a></li>`]))
    .join('');
}

/** What a page says above its title where no scripts run. */
export function withoutScripts(file: string): string {
  const [url, text] = pages.find((page) => page.file === file)?.instead ?? [];
  if (url === undefined) return '';
  return `<noscript><p class="note">What can be used on this page needs JavaScript. To read instead: <a href="${url}">${text}</a>.</p></noscript>`;
}

function footer(file: string): string {
  return `<footer class="site-footer">
    <p>bloomery ${project.version}, free software under the MIT license. This site sends nothing anywhere.</p>
    <ul aria-label="Project">${projectLinks(rootOf(file), project)}</ul>
    <p id="offline" role="status"></p>
  </footer>`;
}

export function shell(): Plugin {
  return {
    name: 'bloomery-shell',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        const file = path.replace(/^\//, '');
        const main = html.indexOf('<main');
        const framed = `<!doctype html>
<html lang="en">
<head>
${html.slice(0, main)}</head>
<body>
${header(file)}
${html.slice(main).replace(/^<main[^>]*>/, (begin) => begin + withoutScripts(file))}${footer(file)}
</body>
</html>
`;
        return { html: framed, tags: headTags(file, html, project) };
      },
    },
  };
}
