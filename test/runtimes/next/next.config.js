const { DIST_DIR = '.next' } = process.env;

export default {
  // A folder for each bundler, so that both build the same project.
  distDir: DIST_DIR,
  // The webpack of Next.js 16 is too old for `with { type: 'bytes' }`, so only Turbopack gets the page that needs it.
  pageExtensions: DIST_DIR.endsWith('turbopack') ? ['js', 'jsx'] : ['js'],
  turbopack: { root: import.meta.dirname, rules: { '*.bloom': { type: 'bytes' } } },
};
