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
    <a class="skip" href="#content">Skip to the content</a>
    <a class="brand" href="${root}${HOME}"${file === HOME ? CURRENT : ''}
      ><img src="/icon.svg" alt="" width="28" height="28" /><span>bloomery</span></a
    >
    <nav aria-label="Site"><ul>${pages.map(link).join('')}</ul></nav>
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
${html.slice(main)}${footer(file)}
</body>
</html>
`;
        return { html: framed, tags: headTags(file, html, project) };
      },
    },
  };
}
