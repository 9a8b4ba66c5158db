// Runs the conformance program in Hermes, and prints its report.

import './native-at.ts';
import './native-first.ts';
import './native-tools.ts';
import { runAll } from '../checks/index.ts';

declare const print: (line: string) => void;

runAll('JavaScript without web APIs').then(
  (outcomes) => print(JSON.stringify(outcomes)),
  (error) => print(String(error)),
);
