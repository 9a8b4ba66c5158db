// What the head of every page has besides its title, its description and its script.

import { posix } from 'node:path';
import type { HtmlTagDescriptor } from 'vite';
import { ink } from '../../tools/colors.ts';
import { type Project, project } from './project.ts';

/**
 * The policy of every page: it may load only files of this site, and compile WebAssembly, but no other text at run
 * time.
 */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'";

/** The picture that other sites show beside a link, and what it shows. */
export const CARD = 'card.png';
const CARD_TEXT = 'Have I seen this key? What bloomery is, and four lines of code';

/** What servers answer with at any address that has no page. */
export const NOT_FOUND = '404.html';

/**
 * The relative path from a page to the site's folder, which may be served below any path. What is shown at any address
 * needs an absolute one, and has it where the site's own address is known.
 */
export function rootOf(file: string, site = project.site): string {
  if (file === NOT_FOUND && site !== undefined) return new URL(site).pathname;
  const up = posix.relative(posix.dirname(file), '.');
  return up === '' ? '' : `${up}/`;
}

/** A text of a page's HTML, in which entities stay as they are. */
export function foundIn(html: string, what: 'title' | 'description'): string {
  const pattern = what === 'title' ? /<title>([^<]*)</ : /<meta\s+name="description"\s+content="([^"]*)"/;
  const text = pattern.exec(html)?.[1];
  if (text === undefined) throw new Error(`a page has no ${what}`);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** Whether searches may show a page. */
export const isListed = (html: string): boolean => !html.includes('<meta name="robots" content="noindex" />');

/** The whole address of a page. */
export const addressOf = (file: string, site: string): string => `${site}${file === 'index.html' ? '' : file}`;

const meta = (property: string, content: string): HtmlTagDescriptor => ({ tag: 'meta', attrs: { property, content } });

/**
 * What other sites read to show a link as a card. The address of a page and that of its picture must be whole ones, so
 * they come only where the site's own address is known.
 */
export function cardTags(file: string, html: string, { name, site }: Project): HtmlTagDescriptor[] {
  const described = [
    meta('og:type', 'website'),
    meta('og:site_name', name),
    meta('og:title', foundIn(html, 'title')),
    meta('og:description', foundIn(html, 'description')),
  ];
  if (site === undefined) return described;
  const address = addressOf(file, site);
  return [
    ...described,
    { tag: 'link', attrs: { rel: 'canonical', href: address } },
    meta('og:url', address),
    meta('og:image', `${site}${CARD}`),
    meta('og:image:width', '1200'),
    meta('og:image:height', '630'),
    meta('og:image:alt', CARD_TEXT),
    { tag: 'meta', attrs: { name: 'twitter:card', content: 'summary_large_image' } },
  ];
}

export function headTags(file: string, html: string, project: Project): HtmlTagDescriptor[] {
  return [
    { tag: 'meta', attrs: { charset: 'utf-8' } },
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY } },
    { tag: 'meta', attrs: { name: 'viewport', content: 'width=device-width, initial-scale=1' } },
    { tag: 'meta', attrs: { name: 'color-scheme', content: 'light dark' } },
    { tag: 'meta', attrs: { name: 'theme-color', content: ink.ground.light, media: '(prefers-color-scheme: light)' } },
    { tag: 'meta', attrs: { name: 'theme-color', content: ink.ground.dark, media: '(prefers-color-scheme: dark)' } },
    { tag: 'meta', attrs: { name: 'bloomery-root', content: rootOf(file) } },
    ...cardTags(file, html, project),
    { tag: 'link', attrs: { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' } },
    { tag: 'link', attrs: { rel: 'manifest', href: '/manifest.webmanifest' } },
    { tag: 'link', attrs: { rel: 'stylesheet', href: '/src/design/site.css' } },
    { tag: 'script', attrs: { type: 'module', src: '/src/shell/shell.ts' } },
  ].map((tag): HtmlTagDescriptor => ({ ...tag, injectTo: 'head-prepend' }));
}
