// The parts of every page: the head, the header with the navigation, and the footer. A page's own HTML has only its
// title, its description, its script and its `<main>`.

import { posix } from 'node:path';
import type { HtmlTagDescriptor, Plugin } from 'vite';
import { pages } from './pages.ts';

/**
 * The policy of every page: it may load only files of this site, and compile WebAssembly, but no other text at run
 * time.
 */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'";

/** The relative path from a page to the site's folder, which may be served below any path. */
function rootOf(file: string): string {
  const up = posix.relative(posix.dirname(file), '.');
  return up === '' ? '' : `${up}/`;
}

function header(file: string, root: string): string {
  const link = ({ file: target, label }: (typeof pages)[number]): string => {
    const current = target === file || posix.dirname(file).startsWith(target.replace(/\.html$/, ''));
    return label === undefined
      ? ''
      : `<li><a href="${root}${target}"${current ? ' aria-current="page"' : ''}>${label}</a></li>`;
  };
  return `<header class="site-header">
    <a class="skip" href="#content">Skip to the content</a>
    <a class="brand" href="${root}index.html"><img src="/icon.svg" alt="" width="28" height="28" />bloomery</a>
    <nav aria-label="Site"><ul>${pages.map(link).join('')}</ul></nav>
  </header>`;
}

const footer = `<footer class="site-footer">
    <p>bloomery is free software under the MIT license. This site sends nothing anywhere: your lists stay in this tab.</p>
    <p id="offline" role="status"></p>
  </footer>`;

function head(root: string): HtmlTagDescriptor[] {
  return [
    { tag: 'meta', attrs: { charset: 'utf-8' } },
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY } },
    { tag: 'meta', attrs: { name: 'viewport', content: 'width=device-width, initial-scale=1' } },
    { tag: 'meta', attrs: { name: 'color-scheme', content: 'light dark' } },
    { tag: 'meta', attrs: { name: 'bloomery-root', content: root } },
    { tag: 'link', attrs: { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' } },
    { tag: 'link', attrs: { rel: 'stylesheet', href: '/src/design/site.css' } },
    { tag: 'script', attrs: { type: 'module', src: '/src/shell/shell.ts' } },
  ].map((tag): HtmlTagDescriptor => ({ ...tag, injectTo: 'head-prepend' }));
}

export function shell(): Plugin {
  return {
    name: 'bloomery-shell',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        const file = path.replace(/^\//, '');
        const root = rootOf(file);
        const framed = html.replace('<body>', `<body>\n${header(file, root)}`).replace('</body>', `${footer}\n</body>`);
        return { html: framed, tags: head(root) };
      },
    },
  };
}
