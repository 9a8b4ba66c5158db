// Runs the built command line for each message, one after the other, each until nothing is left to do, as a process of
// its own would: starting one takes longer than most commands.

const main = new URL('../../dist/cli/main.js', import.meta.url);
let count = 0;
let written;

for (const name of ['stdout', 'stderr']) {
  const stream = process[name].setMaxListeners(0);
  stream.write = (chunk, callback) => {
    written?.[name].push(Buffer.from(chunk));
    callback?.();
    return true;
  };
}

process.on('message', ({ cwd, url, args }) => {
  // Waiting for messages must not keep the process at work.
  process.channel.unref();
  written = { stdout: [], stderr: [] };
  process.exitCode = 0;
  process.chdir(cwd);
  process.env.REDIS_URL = url;
  process.argv = [process.execPath, main.pathname, ...args];
  import(`${main.href}?${count++}`);
});

process.on('beforeExit', (code) => {
  if (!written) return;
  const { stdout, stderr } = written;
  written = undefined;
  process.channel.ref();
  process.send({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
});
