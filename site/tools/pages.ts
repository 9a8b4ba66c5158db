// The pages of the site, in the order of the navigation. The name of the site, in the header, leads to the first.

interface SitePage {
  /** The path of its HTML file below `site/`. */
  readonly file: string;
  /** Its name in the navigation. Without one, other pages link to it, and the navigation does not. */
  readonly label?: string;
}

export const pages: readonly SitePage[] = [
  { file: 'index.html' },
  { file: 'list.html', label: 'Filter a list' },
  { file: 'names.html', label: 'Is it taken?' },
  { file: 'leaked.html' },
  { file: 'what.html', label: 'What is it?' },
  { file: 'how.html', label: 'Other kinds' },
  { file: 'embed.html' },
  { file: 'calculator.html', label: 'Calculator' },
  { file: 'choose.html' },
  { file: 'benchmark.html', label: 'Benchmark' },
  { file: 'docs.html', label: 'Documentation' },
  { file: 'offline.html' },
];
