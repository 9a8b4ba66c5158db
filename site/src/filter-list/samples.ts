// Two sample lists of real names, loaded on demand.

import moreNames from '../../build/data/more-names.txt?url';
import names from '../../build/data/names.txt?url';

async function load(url: string, name: string): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new File([await response.blob()], name);
}

/** Names of npm packages. `list` contains all names of the second half of `text`. */
export async function loadSamples(): Promise<{ text: File; list: File }> {
  const [text, list] = await Promise.all([load(moreNames, 'npm-names.txt'), load(names, 'second-list.txt')]);
  return { text, list };
}
