// The Worker. In wrangler.toml: kv_namespaces = [{ binding = "PAGES", id = "…" }]

import { answer, type Pages } from './known-paths.ts';

export default {
  fetch: (request: Request, env: { readonly PAGES: Pages }): Promise<Response> => answer(request, env.PAGES),
};
