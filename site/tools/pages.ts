// The pages of the site, in the order of the navigation.

interface SitePage {
  /** The path of its HTML file below `site/`. */
  readonly file: string;
  /** Its name in the navigation. */
  readonly label: string;
}

export const pages: readonly SitePage[] = [
  { file: 'index.html', label: 'Filter a list' },
  { file: 'calculator.html', label: 'Calculator' },
  { file: 'names.html', label: 'Is this name taken?' },
  { file: 'leaked.html', label: 'Was it leaked?' },
  { file: 'how.html', label: 'How it works' },
  { file: 'benchmark.html', label: 'Benchmark' },
  { file: 'docs.html', label: 'Documentation' },
];
