// Serves the built site on a free port, and prints its URL.

import { fileURLToPath } from 'node:url';
import { preview } from 'vite';

const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const server = await preview({ configFile, preview: { port: 4173 } });
console.log(`The site is at ${server.resolvedUrls?.local[0]}`);
