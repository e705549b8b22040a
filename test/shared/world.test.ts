import { afterAll, describe, expect, test } from 'vitest';
import { send } from '../../shared/queue/send.ts';
import { credential } from '../support/credentials.ts';
import { startWorld } from '../support/world.ts';
import { sampleContext } from './sample/context.ts';
import { noteQueue } from './sample/contract.ts';
import { worked } from './sample/worker.ts';

const world = await startWorld({ contexts: [sampleContext] });
afterAll(() => world.stop());

describe('the test world', () => {
  test('a call with a token is one write unit, one call, one round', async () => {
    const token = await credential();
    const used = await world.meter(() => world.call({ method: 'GET', path: '/api/v1/notes/1', token }));
    expect(used).toMatchObject({ wru: 1, rru: 0, calls: 1, rounds: 1 });
  });

  test('a delayed message comes when the clock is moved to it, and not before', async () => {
    worked.length = 0;
    await send(noteQueue, [{ companyId: 1, message: { note: 'late' }, delaySeconds: 300 }]);
    await world.drain();
    expect(worked).toEqual([]);
    const before = world.clock.now();
    await world.drain({ including: 'delayed' });
    expect(worked).toEqual(['late:1']);
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(299_000);
  });
});
