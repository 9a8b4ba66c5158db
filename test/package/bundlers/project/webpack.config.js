import { basename } from 'node:path';

export default {
  mode: 'production',
  target: ['web', 'es2022'],
  entry: Object.fromEntries(process.env.APPS.split(' ').map((app) => [basename(app, '.js'), `./${app}`])),
  output: { path: process.env.OUT, module: true },
  experiments: { outputModule: true },
  // Most of its time. Others show that minified code runs.
  optimization: { minimize: false },
};
