// What the head of every page has besides its title, its description and its script.

import { posix } from 'node:path';
import type { HtmlTagDescriptor } from 'vite';
import { ink } from '../../tools/colors.ts';
import type { Project } from './project.ts';

/**
 * The policy of every page: it may load only files of this site, and compile WebAssembly, but no other text at run
 * time.
 */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'";

/** The picture that other sites show beside a link, and what it shows. */
export const CARD = 'card.png';
const CARD_TEXT = 'Have I seen this key? What bloomery is, and four lines of code';

/** The relative path from a page to the site's folder, which may be served below any path. */
export function rootOf(file: string): string {
  const up = posix.relative(posix.dirname(file), '.');
  return up === '' ? '' : `${up}/`;
}

/** A text of a page's HTML, in which entities stay as they are. */
function found(html: string, pattern: RegExp, what: string): string {
  const text = pattern.exec(html)?.[1];
  if (text === undefined) throw new Error(`a page has no ${what}`);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

const meta = (property: string, content: string): HtmlTagDescriptor => ({ tag: 'meta', attrs: { property, content } });

/**
 * What other sites read to show a link as a card. The address of a page and that of its picture must be whole ones, so
 * they come only where the site's own address is known.
 */
export function cardTags(file: string, html: string, { name, site }: Project): HtmlTagDescriptor[] {
  const described = [
    meta('og:type', 'website'),
    meta('og:site_name', name),
    meta('og:title', found(html, /<title>([^<]*)<\/title>/, 'title')),
    meta('og:description', found(html, /<meta\s+name="description"\s+content="([^"]*)"/, 'description')),
  ];
  if (site === undefined) return described;
  const address = `${site}${file === 'index.html' ? '' : file}`;
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
