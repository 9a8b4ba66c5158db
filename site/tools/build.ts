// Builds the site into site/dist/.

import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { writeData } from './data.ts';
import { project } from './project.ts';
import { writeReference } from './reference.ts';
import { writeRobots } from './robots.ts';
import { stampServiceWorker } from './stamp.ts';

const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const dist = fileURLToPath(new URL('../dist', import.meta.url));

writeData();
writeReference();
await build({ configFile, logLevel: 'warn' });
writeRobots(dist, project.site);
stampServiceWorker(dist);
