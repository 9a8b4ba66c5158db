import { bloomAssets } from 'bloomery/vite';

export default {
  plugins: [bloomAssets()],
  // An app usually begins with a page, and preloads modules in a way that only browsers know.
  build: { modulePreload: false, rolldownOptions: { input: process.env.APP } },
  // What is built is run in a folder without packages.
  ssr: { noExternal: true },
};
