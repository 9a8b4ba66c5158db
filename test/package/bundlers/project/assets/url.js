import { report } from './report.js';

const response = await fetch(new URL('./names.bloom', import.meta.url));
report(new Uint8Array(await response.arrayBuffer()));
