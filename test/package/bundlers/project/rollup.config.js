import { bloomAssets } from 'bloomery/vite';

export default {
  input: process.env.APPS.split(' '),
  output: { dir: process.env.OUT, format: 'es' },
  plugins: [bloomAssets({ inline: process.env.INLINE === 'true' })],
};
