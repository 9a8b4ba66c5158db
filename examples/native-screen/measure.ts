// Bundles the code of the screen with Metro, as an app of React Native does, and runs it in Hermes.
//
//   npm run example examples/native-screen/measure.ts [NAMES]

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heading, integer, must, percent, row, size, sizeArgument } from '../report.ts';
import { pack } from './known-names.ts';

const NAMES = sizeArgument('names', 20_000);
const ROOT = join(import.meta.dirname, '../..');
const NATIVE = join(ROOT, 'test/runtimes/native');

const saved = pack(Array.from({ length: NAMES }, (_, i) => `NAME-${i} `));

const app = mkdtempSync(join(tmpdir(), 'native-screen-'));
try {
  const installed = join(app, 'node_modules/bloomery');
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const file of ['known-names.ts', 'program.ts']) copyFileSync(join(import.meta.dirname, file), join(app, file));
  copyFileSync(join(ROOT, 'test/runtimes/servers/native-at.ts'), join(app, 'native-at.ts'));
  writeFileSync(join(app, 'entry.js'), "require('./native-at.ts');\nrequire('./program.ts');\n");
  writeFileSync(join(app, 'package.json'), '{}');

  const bundle = join(app, 'bundle.js');
  execFileSync(process.execPath, [join(NATIVE, 'bundle.js'), app, join(app, 'entry.js'), bundle]);
  const code = readFileSync(bundle, 'utf8');
  writeFileSync(bundle, `var TAKEN = ${NAMES}, hex = '${Buffer.from(saved).toString('hex')}';\n${code}`);
  const hermes = join(NATIVE, 'node_modules/hermes-engine-cli/linux64-bin/hermes');
  const printed = execFileSync(hermes, ['-O', bundle], { encoding: 'utf8' });
  const { missed, free, load, answer } = JSON.parse(printed) as Record<string, number>;

  console.log(`${integer(NAMES)} taken names in Hermes`);
  row('the file', size(saved.length));
  row('the bundle without it, not minified', size(code.length));
  heading('Asked');
  row('taken names that look free', integer(missed as number));
  row(
    'free names',
    integer(free as number),
    `of ${integer(NAMES)}: ${percent(1 - (free as number) / NAMES)} ask the server in vain, promised: 1 %`,
  );
  heading('Time');
  row('to load, milliseconds', (load as number).toFixed(0));
  row('for a name, microseconds', (1000 * (answer as number)).toFixed(1));
  must(missed === 0, 'no taken name looks free');
} finally {
  rmSync(app, { recursive: true });
}
