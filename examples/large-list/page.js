const element = (id) => document.getElementById(id);
let worker;
let url = '';

function show(text, isRunning) {
  element('status').value = text;
  element('start').disabled = isRunning;
  element('cancel').disabled = !isRunning;
}

/** Ends the worker, whatever it is doing. Its memory returns to the system. */
function stop(text) {
  worker?.terminate();
  show(text, false);
}

function offer(file) {
  const link = document.createElement('a');
  URL.revokeObjectURL(url);
  url = URL.createObjectURL(file);
  link.href = url;
  link.download = 'filtered.txt';
  link.textContent = 'Download the lines that are left';
  element('result').replaceChildren(link);
}

element('cancel').onclick = () => stop('Canceled');

element('start').onclick = () => {
  const [blocklist] = element('blocklist').files;
  const [list] = element('list').files;
  if (!blocklist || !list) return show('Choose both files', false);

  show('Starting', true);
  element('progress').value = 0;
  element('result').replaceChildren();
  worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  worker.onerror = ({ message = 'worker.js did not load' }) => stop(`Failed: ${message}`);
  worker.onmessage = ({ data: { text, done, error, result } }) => {
    if (error) return stop(`Failed: ${error}`);
    element('progress').value = done;
    if (!result) return show(text, true);
    stop(text);
    offer(result);
  };
  worker.postMessage({ blocklist, list });
};
