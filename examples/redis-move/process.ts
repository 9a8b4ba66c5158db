// The program that moves the filter. `measure.ts` starts it, and kills it at a step.

import { once } from 'node:events';
import { connect } from '../../test/redis/clients.ts';
import { move } from './redis-move.ts';

export interface Work {
  /** The port of the old server. */
  readonly from: number;
  /** The ports of the new cluster. */
  readonly to: readonly number[];
  readonly name: string;
  readonly period: number;
}

const [, , work = ''] = process.argv;
const { from, to, name, period }: Work = JSON.parse(work);
const [old, next] = await Promise.all([connect('redis', [from]), connect('redis', to, { cluster: true })]);
const onStep = async (step: string): Promise<void> => {
  process.send?.(step);
  await once(process, 'message');
};
await move(old.client, next.client, name, { period, onStep });
old.close();
next.close();
process.disconnect?.();
