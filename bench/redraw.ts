// Draws the chart and writes the README's table again, without measuring: `npm run plot`.

import { publish } from './publish.ts';

publish();
