// A folder for each bundler, so that both build the same project.
export default {
  distDir: process.env.DIST_DIR,
  turbopack: { root: import.meta.dirname },
};
