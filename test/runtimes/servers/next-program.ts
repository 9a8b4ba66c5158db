import { runAll } from '../checks/index.ts';

/** Only the first realm runs all checks. */
export async function answer({ url }: Request): Promise<Response> {
  return Response.json(await runAll('JavaScript', new URL(url).searchParams.has('first')));
}
