import loadNames from './names.txt?bloom&errorRate=1e-3&kind=fuse';
import { report } from './report.js';

const [names, again] = await Promise.all([loadNames(), loadNames()]);
if (names !== again) throw new Error('it was loaded twice');
report(names.toBytes());
