import { runAll } from '../checks/index.ts';

export default {
  fetch: async ({ url }: Request): Promise<Response> =>
    Response.json(await runAll('all', new URL(url).searchParams.has('first'))),
};
