import url from './names.bloom?url';
import { report } from './report.js';

const response = await fetch(url);
report(new Uint8Array(await response.arrayBuffer()));
