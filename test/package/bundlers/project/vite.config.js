import { bloomAssets } from 'bloomery/vite';

export default {
  plugins: [bloomAssets()],
  build: {
    // Apps usually begin with pages, and preload modules in a way that only browsers know.
    modulePreload: false,
    rolldownOptions: { input: process.env.APPS.split(' ') },
    ssr: process.env.SERVER === 'true',
  },
  // What is built is run in a folder without packages.
  ssr: { noExternal: true },
};
