import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Target } from '../target.ts';
import { installed } from './process.ts';

const TIMEOUT_MS = 300_000;

/** Waits until a server says where it listens. What it says later is read too, so that it can go on. */
export function addressOf(said: Readable): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    said.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    });
    said.once('end', () => reject(new Error(`no server listens: ${text}`)));
  });
}

/** What a server's route gives: what the program reports. */
export async function outcomesOf(url: string): Promise<Outcome[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Outcome[];
}

/** The globals of Vercel's edge in Node, by Vercel. */
export const edgeRuntime: Target = {
  name: 'edge-runtime',
  async run() {
    const entry = fileURLToPath(new URL('edge-listener.ts', import.meta.url));
    const script = await bundle({ entry, format: 'iife', platform: 'neutral', conditions: ['edge-light'] });
    const { version } = JSON.parse(readFileSync(installed('edge-runtime/package.json'), 'utf8')) as { version: string };
    const args = [installed('edge-runtime/dist/cli/index.js'), '--listen', '--port', '0', script];
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const outcomes = await outcomesOf(await addressOf(server.stdout));
      return [{ runtime: 'edge-runtime', version, realm: 'fetch', outcomes }];
    } finally {
      server.kill();
    }
  },
};
