import bytes from './names.bloom' with { type: 'bytes' };
import { report } from './report.js';

report(bytes);
