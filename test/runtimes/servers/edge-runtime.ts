import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import type { Outcome } from '../checks/check.ts';
import type { Target } from '../expected.ts';
import { installed } from './process.ts';

/** Waits until a server says where it listens. What it says later is read too, so that it can go on. */
export function addressOf(said: Readable, pattern = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    said.on('data', (chunk) => {
      text += chunk;
      const port = pattern.exec(text)?.[1];
      if (port !== undefined) resolve(`http://localhost:${port}`);
    });
    said.once('end', () => reject(new Error(`no server listens: ${text}`)));
  });
}

/** What a server's route gives: what the program reports. */
export async function outcomesOf(url: string): Promise<Outcome[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Outcome[];
}

/** The globals of Vercel's edge in Node, by Vercel. */
export const edgeRuntime: Target = async () => {
  const entry = fileURLToPath(new URL('edge-listener.ts', import.meta.url));
  const script = await bundle({ entry, format: 'iife', platform: 'neutral', conditions: ['edge-light'] });
  const { version } = JSON.parse(readFileSync(installed('edge-runtime/package.json'), 'utf8')) as { version: string };
  const args = [installed('edge-runtime/dist/cli/index.js'), '--listen', '--port', '0', script];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return [{ realm: 'fetch', version, outcomes: await outcomesOf(await addressOf(server.stdout)) }];
  } finally {
    server.kill();
  }
};
