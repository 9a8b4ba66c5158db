// The page that filters a list.

import './page.css';
import { element, write } from '../shell/dom.ts';
import { download } from '../shell/download.ts';
import { acceptFiles, placeDrop } from './drops.ts';
import type { Job, Mode, Reply, Source } from './job.ts';
import { mismatchOf } from './reading.ts';
import { recall, remember } from './remembered.ts';
import { ResultPanel } from './result-panel.ts';
import { loadSamples } from './samples.ts';
import { isSavedFilter } from './saved-file.ts';
import { sourcePanel } from './source-panel.ts';
import { failureText, filterName, rateText, resultName } from './wording.ts';
import { openSession } from './worker-client.ts';

const form = element('form', HTMLFormElement);
const startButtons = ['start', 'start-to-file'].map((id) => element(id, HTMLButtonElement));
const cancelButton = element('cancel', HTMLButtonElement);
const downloadButton = element('download', HTMLButtonElement);
const saveButton = element('save-filter', HTMLButtonElement);
const errorRate = element('error-rate', HTMLSelectElement);

const panels = { text: sourcePanel('text', showChoices), list: sourcePanel('list', showChoices) };
const results = new ResultPanel();
const session = openSession(take);

/** Counts the runs that have ended, because one may be canceled while its inputs are still looked at. */
let turn = 0;
/** The last run: its job, and its result. */
let last: { readonly job: Job; readonly name: string; readonly filterName: string; blob?: Blob } | undefined;

function mode(): Mode {
  return new FormData(form).get('mode') as Mode;
}

/** Shows the fields and labels for the chosen mode and inputs. */
function showChoices(): void {
  const isOnce = mode() === 'once';
  panels.list.root.hidden = isOnce;
  const facts = isOnce ? undefined : panels.list.chosen()?.facts;
  errorRate.disabled = facts !== undefined;
  write('error-rate-note', rateText(mode(), Number(errorRate.value), facts));
  results.markOutdated();
}

function setRunning(isRunning: boolean): void {
  for (const button of startButtons) button.disabled = isRunning;
  cancelButton.disabled = !isRunning;
  downloadButton.disabled = isRunning || last?.blob === undefined;
  saveButton.disabled = isRunning;
  element('result', HTMLElement).setAttribute('aria-busy', String(isRunning));
}

/** The job that the user has described. If an input is missing, says so and returns undefined. */
function jobOf(destination: FileSystemFileHandle | undefined): Job | undefined {
  const { text, list } = panels;
  const needed = mode() === 'once' ? [text] : [text, list];
  const missing = needed.filter((panel) => panel.chosen() === undefined);
  for (const panel of missing) panel.miss();
  missing[0]?.focus();
  const lines = text.input();
  if (lines === undefined || missing.length > 0) return undefined;
  const given = mode() === 'once' ? undefined : list.input();
  const mismatch = lines.reading && given?.reading && mismatchOf(lines.reading, given.reading);
  if (mismatch !== undefined) {
    list.fail(mismatch);
    list.focus();
    return undefined;
  }
  return {
    mode: mode(),
    text: lines,
    list: given,
    ignoreCase: element('ignore-case', HTMLInputElement).checked,
    trim: element('trim', HTMLInputElement).checked,
    errorRate: Number(errorRate.value),
    destination,
  };
}

async function start(destination?: FileSystemFileHandle): Promise<void> {
  const mine = turn;
  // Also against a second press.
  setRunning(true);
  results.say('Starting');
  for (const panel of Object.values(panels)) await panel.looked();
  if (turn !== mine) return;
  const job = jobOf(destination);
  if (job === undefined) {
    results.sayDone();
    setRunning(false);
    return;
  }
  const [text, list] = [panels.text.chosen(), job.list && panels.list.chosen()];
  const { name = '', title = '' } = text ?? {};
  last = { job, name: resultName(name, job.mode), filterName: filterName(list?.name ?? name) };
  for (const panel of Object.values(panels)) panel.forgive();
  results.begin(job.mode, { text: title, list: list?.title, by: panels.text.compared() });
  // From here on down to the buttons of the result fits on a screen.
  element('run', HTMLElement).scrollIntoView({ block: 'start' });
  cancelButton.focus({ preventScroll: true });
  session.send({ type: 'run', job });
}

/** @param isDone whether there is a filter to save */
function finish(isDone: boolean): void {
  turn++;
  const hadFocus = document.activeElement === cancelButton;
  setRunning(false);
  saveButton.disabled = !isDone;
  if (hadFocus) (downloadButton.disabled ? startButtons[0] : downloadButton)?.focus();
}

function take(reply: Reply): void {
  switch (reply.type) {
    case 'progress':
      results.showProgress(reply.progress);
      break;
    case 'preview':
      results.showPreview(reply.lines);
      break;
    case 'result':
      if (last && reply.result.blob) last.blob = reply.result.blob;
      results.showResult(last?.job.mode ?? 'keep', reply.result, last?.job.destination?.name);
      finish(true);
      break;
    case 'saved':
      download(reply.blob, last?.filterName ?? 'list.bloom');
      break;
    case 'canceled':
      results.say('Canceled.');
      finish(false);
      break;
    case 'failed':
      if (reply.source !== undefined) panels[reply.source].fail(reply.message);
      results.fail(failureText(reply.message, reply.source));
      finish(false);
      break;
  }
}

/** The File System Access API, which only some browsers have. */
interface PickerWindow {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Lets the user choose where to save; undefined if the user changes their mind. */
async function pickFile(suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  try {
    return await (window as PickerWindow).showSaveFilePicker?.({ suggestedName });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  }
}

/** Takes files that were dropped anywhere on the page. */
async function takeFiles(files: readonly File[], target: Source | undefined): Promise<void> {
  const dropped = await Promise.all(
    files.map(async (file) => ({
      file,
      name: file.name,
      // A folder cannot be read. The panel says so when it is used.
      isFilter: await isSavedFilter(file).catch(() => false),
    })),
  );
  const { text, list, said } = placeDrop(dropped, {
    mode: mode(),
    target,
    hasText: panels.text.chosen() !== undefined,
    hasList: panels.list.chosen() !== undefined,
  });
  element('drop-said', HTMLElement).textContent = said;
  await Promise.all([text && panels.text.choose(text.file, false), list && panels.list.choose(list.file, false)]);
}

acceptFiles((files, target) => void takeFiles(files, target));
form.addEventListener('change', () => {
  showChoices();
  const isKept = remember(form);
  write('drop-said', isKept ? '' : 'What you pasted is too long to be kept when you leave this page.');
});
window.addEventListener('pagehide', () => remember(form));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void start();
});
cancelButton.addEventListener('click', session.cancel);
downloadButton.addEventListener('click', () => {
  if (last?.blob) download(last.blob, last.name);
});
saveButton.addEventListener('click', () => session.send({ type: 'save' }));
element('start-to-file', HTMLButtonElement).hidden = !('showSaveFilePicker' in window);
element('start-to-file', HTMLButtonElement).addEventListener('click', async () => {
  // A file that was chosen for nothing would be left behind, empty.
  if (jobOf(undefined) === undefined) return;
  const destination = await pickFile(resultName(panels.text.chosen()?.name ?? '', mode()));
  if (destination) await start(destination);
});
element('sample', HTMLButtonElement).addEventListener('click', async () => {
  try {
    const { text, list } = await loadSamples();
    if (mode() === 'once') element('mode-keep', HTMLInputElement).checked = true;
    showChoices();
    await panels.text.choose(text, false);
    await panels.list.choose(list, false);
  } catch {
    panels.text.fail('The sample could not be loaded.', undefined);
  }
});
recall(form);
for (const panel of Object.values(panels)) panel.restore();
showChoices();
