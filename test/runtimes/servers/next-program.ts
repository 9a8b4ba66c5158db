// The conformance program as a route of Next.js.

import { runAll } from '../checks/index.ts';

export async function answer(): Promise<Response> {
  return Response.json(await runAll('JavaScript'));
}
