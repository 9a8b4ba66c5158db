// Bundles the command line in the copy in which StrykerJS has changed it.

import { writeCommandLine } from '../../tools/command-line.ts';

await writeCommandLine();
