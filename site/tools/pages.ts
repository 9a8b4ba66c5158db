// The pages of the site, in the order of the navigation. The name of the site, in the header, leads to the first.

interface SitePage {
  /** The path of its HTML file below `site/`. */
  readonly file: string;
  /** Its name in the navigation. Without one, other pages link to it, and the navigation does not. */
  readonly label?: string;
  /** What there is to read where no scripts run. */
  readonly instead?: readonly [url: string, text: string];
}

export const pages: readonly SitePage[] = [
  { file: 'index.html', instead: ['docs.html', 'the documentation'] },
  { file: 'list.html', label: 'Filter a list', instead: ['docs/command-line.html', 'the same on the command line'] },
  { file: 'names.html', label: 'Is it taken?', instead: ['docs/assets.html', 'how a site ships a list'] },
  { file: 'leaked.html', instead: ['docs/opening.html', 'lookups in a file on a server'] },
  { file: 'what.html', label: 'How it works' },
  { file: 'how.html', label: 'Kinds', instead: ['docs/kinds.html', 'all kinds of filters in words'] },
  { file: 'embed.html' },
  { file: 'calculator.html', label: 'Calculator', instead: ['docs/faq.html#how-large-is-it', 'how large a filter is'] },
  { file: 'choose.html', instead: ['docs/kinds.html', 'all kinds of filters side by side'] },
  { file: 'benchmark.html', label: 'Benchmark', instead: ['docs/benchmarks.html', 'the benchmarks in Node'] },
  { file: 'docs.html', label: 'Documentation' },
  { file: 'offline.html' },
  { file: '404.html' },
];
