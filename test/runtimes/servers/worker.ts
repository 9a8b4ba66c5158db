// Runs the conformance program in a request handler of workerd.

import { runAll } from '../checks/index.ts';
import type { WorkerReport } from './workerd.ts';

export default {
  async fetch({ url }: Request): Promise<Response> {
    const outcomes = await runAll('all', new URL(url).searchParams.has('first'));
    const report: WorkerReport = { agent: navigator.userAgent, outcomes };
    return Response.json(report);
  },
};
