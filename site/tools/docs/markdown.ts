// Turns Markdown into HTML with marked, and colors code with highlight.js. Both are small, without dependencies, and
// give classes instead of inline styles, which the policy of the pages refuses.

import GithubSlugger from 'github-slugger';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { Marked, type RendererObject, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked';
import { entities, escapeHtml } from '../../src/escape-html.ts';

const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  dts: 'typescript',
  js: 'typescript',
  sh: 'bash',
  html: 'xml',
  json: 'json',
};
hljs.registerLanguage('typescript', typescript);
// The language of scripts in HTML.
hljs.registerLanguage('javascript', typescript);
hljs.registerLanguage('bash', bash);
hljs.registerLanguage('xml', xml);
hljs.registerLanguage('json', json);

/** A heading with the text below it. */
export interface Section {
  readonly depth: number;
  readonly heading: string;
  /** The id of the heading. */
  readonly anchor: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** The language of declarations in the reference, which nobody copies; drawings have none. */
const DECLARATIONS = 'dts';

/** Resolves a document's links and pictures. */
export interface Resolver {
  /**
   * Undefined if the site does not show the target: then the text remains without a link. The title is that of the page
   * or the section to which it leads, if that is one of the site.
   */
  link(href: string): { readonly url: string; readonly title?: string } | undefined;
  /** Undefined if the picture is left out. */
  picture(href: string): { readonly url: string; readonly width: number; readonly height: number } | undefined;
}

/** The entities of `escapeHtml`, those of marked, and those of highlight.js. */
const characters = new Map([
  ...Object.entries(entities).map(([character, entity]) => [entity, character] as const),
  ['&#x27;', "'"] as const,
]);

function unescapeHtml(html: string): string {
  return html.replaceAll(/&[a-z0-9#]+;/g, (entity) => characters.get(entity) ?? entity);
}

/** What a reader sees of HTML, without its pictures and buttons. */
export function plainText(html: string): string {
  const withPowers = html.replaceAll('<sup>', '^').replaceAll('</sup>', '');
  const withoutTags = withPowers
    .replaceAll(/<!--.*?-->|<button\b.*?<\/button>|<div class="code declaration">.*?<\/div>/gs, '')
    .replaceAll(/<\/?(?:a|b|code|em|span|strong)\b[^>]*>/g, '');
  return unescapeHtml(withoutTags.replaceAll(/<[^>]+>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function highlighted(code: string, language: string): string {
  const known = languages[language];
  return known === undefined ? escapeHtml(code) : hljs.highlight(code, { language: known }).value;
}

/** Makes an element that scrolls reachable by keyboard. */
const SCROLLS = 'tabindex="0"';

/** A link whose text is the path of a file or a folder, which readers of the site do not know. */
const PATH = /^(?:[\w.-]+\/)*(?:[\w-]+\.md)?$/;

function rendererFor(slugger: GithubSlugger, { link, picture }: Resolver): RendererObject {
  return {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const id = slugger.slug(plainText(html));
      return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
    },
    code({ text, lang = '' }) {
      const block = `<pre ${SCROLLS}><code>${highlighted(text, lang)}</code></pre>`;
      if (lang === DECLARATIONS) return `<div class="code declaration">${block}</div>\n`;
      if (lang === '') return `<div class="code">${block}</div>\n`;
      return `<div class="code">${block}<button class="copy" type="button" disabled>Copy</button></div>\n`;
    },
    link({ href, text, tokens }) {
      const html = this.parser.parseInline(tokens);
      const target = link(href);
      if (target === undefined || html === '') return html;
      const { url, title } = target;
      const shown = (content: string): string => `<a href="${escapeHtml(url)}">${content}</a>`;
      return title !== undefined && PATH.test(text) ? `"${shown(escapeHtml(title))}"` : shown(html);
    },
    paragraph({ tokens }) {
      const html = this.parser.parseInline(tokens);
      return html === '' ? '' : `<p>${html}</p>\n`;
    },
    image({ href, text }) {
      const shown = picture(href);
      if (shown === undefined) return '';
      const { url, width, height } = shown;
      return `<img src="${escapeHtml(url)}" alt="${escapeHtml(text)}" width="${width}" height="${height}" />`;
    },
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[]): string => {
        const [first, ...others] = cells;
        if (first?.tokens[0]?.type !== 'strong' || others.some(({ text }) => text !== ''))
          return `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
        // A bold cell alone in its row is the title of the rows below it.
        const title = this.parser.parseInline((first.tokens[0] as Tokens.Strong).tokens);
        return `<tr><th scope="colgroup" colspan="${cells.length}">${title}</th></tr>`;
      };
      const body = rows.map(row).join('\n');
      const contents = `<thead>${row(header)}</thead><tbody>${body}</tbody>`;
      // Two columns fit a narrow screen.
      const kind = header.length === 2 ? ' class="pairs"' : '';
      return `<div class="scroll" role="group" aria-label="Table" ${SCROLLS}><table${kind}>${contents}</table></div>\n`;
    },
    tablecell({ tokens, header, align }) {
      const html = this.parser.parseInline(tokens);
      const alignment = align === null ? '' : ` class="${align}"`;
      // A column without a name has no header, because screen readers would announce an empty one.
      return header && html !== '' ? `<th scope="col"${alignment}>${html}</th>` : `<td${alignment}>${html}</td>`;
    },
  };
}

/** `10^−6`, with the exponent raised. */
const power: TokenizerAndRendererExtension = {
  name: 'power',
  level: 'inline',
  start: (source) => /\d+\^[−-]?[\da-z]/.exec(source)?.index,
  tokenizer(source) {
    const [raw, base, exponent] = /^(\d+)\^([−-]?(?:\d+|[a-z]\b))/.exec(source) ?? [];
    return raw === undefined ? undefined : { type: 'power', raw, base, exponent: exponent?.replace('-', '−') };
  },
  renderer: ({ base, exponent }) => `${base}<sup>${exponent}</sup>`,
};

/** The level of the smallest headings that begin a section. */
const DEEPEST = 3;

const isStart = (token: Token): boolean => token.type === 'heading' && (token as Tokens.Heading).depth <= DEEPEST;

function sectionsOf(tokens: readonly Token[]): Token[][] {
  const sections: Token[][] = [];
  for (const token of tokens) {
    if (sections.length === 0 || isStart(token)) sections.push([]);
    sections.at(-1)?.push(token);
  }
  return sections;
}

export function render(markdown: string, resolver: Resolver): Rendered {
  const slugger = new GithubSlugger();
  const marked = new Marked({ renderer: rendererFor(slugger, resolver), extensions: [power] });
  const parts = sectionsOf(marked.lexer(markdown)).map((tokens) => ({ tokens, html: marked.parser(tokens) }));
  const sections = parts.flatMap(({ tokens, html }): Section[] => {
    const [, depth, anchor = '', heading = '', text = ''] =
      /^<h(\d) id="([^"]*)">(.*?)<\/h\d>(.*)$/s.exec(html.trimStart()) ?? [];
    if (depth === undefined || !tokens.some(isStart)) return [];
    return [{ depth: Number(depth), anchor, heading: plainText(heading), text: plainText(text) }];
  });
  return { html: parts.map(({ html }) => html).join(''), sections };
}

/** The ids in a page. */
export function idsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id = '']) => id));
}
