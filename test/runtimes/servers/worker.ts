// Runs the conformance program in a request handler of workerd.

import { runAll } from '../checks/index.ts';
import type { WorkerReport } from './workerd.ts';

export default {
  async fetch(): Promise<Response> {
    const report: WorkerReport = { agent: navigator.userAgent, outcomes: await runAll() };
    return Response.json(report);
  },
};
