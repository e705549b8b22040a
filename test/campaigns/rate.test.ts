import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { campaignSlotCount } from '../../functions/messaging/domain/pace.ts';
import type { reserveCampaignSlots } from '../../functions/messaging/service/send-slots.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Random, seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';

/**
 * The pace of a campaign, with the real table and time that jumps: workers of separate processes book slots until a number has sent for some
 * seconds. What counts is when the calls leave, a few milliseconds after their slots.
 */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const seeds = Array.from({ length: runSize(2, 40) }, (_, index) => index + 1);
const seconds = 5;
const latenessMs = 8;

describe('a number of 80 messages a second', () => {
  test(`is never exceeded in any second, and 95 % used: 1 to 20 workers, ${seeds.length} seeds`, {
    timeout: 180_000 + seeds.length * 3_000,
  }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const workers = 1 + Math.floor(random() * 20);
      const { calls, writes } = await campaign(seed, workers, random);
      const most = Math.max(...calls.map((at, index) => calls.filter((other, place) => place >= index && other < at + 1_000).length));
      const span = ((calls.at(-1) ?? 0) - (calls[0] ?? 0)) / 1_000;
      const used = (calls.length - 1) / (span * 80);
      expect([seed, workers, most <= 80], `${most} calls in a second`).toEqual([seed, workers, true]);
      expect(used, `seed ${seed}, ${workers} workers`).toBeGreaterThanOrEqual(0.95);
      // who finds the number busy costs a refused write: chains are few for a slow number, so this stays small
      if (workers <= 3) expect(writes / calls.length, `${workers} workers`).toBeLessThan(0.25);
    }
  });

  test('shares no pace with another number of its company: a campaign on each goes at its own', async () => {
    const seed = 77;
    const random = seeded(seed);
    const rates = [80, 20];
    const both = await campaign(seed, 6, random, rates);
    for (const [index, rate] of rates.entries()) {
      const own = both.calls.filter((_, place) => both.numbers[place] === index + 1);
      const most = Math.max(...own.map((at, place) => own.filter((other, later) => later >= place && other < at + 1_000).length));
      const span = ((own.at(-1) ?? 0) - (own[0] ?? 0)) / 1_000;
      expect(most, `number ${index + 1}`).toBeLessThanOrEqual(rate);
      expect((own.length - 1) / (span * rate), `number ${index + 1}`).toBeGreaterThanOrEqual(0.95);
    }
  });
});

interface Sent {
  /** Epoch milliseconds, in order. */
  calls: number[];
  /** The number of each call. */
  numbers: number[];
  writes: number;
}

/** Calls of some workers that send as fast as they may, from the numbers with these rates in turn. */
async function campaign(seed: number, count: number, random: Random, rates: readonly number[] = [80]): Promise<Sent> {
  const time = jumpingTime();
  // how fast this machine is has no part in what is measured
  testApp.clock.freeze();
  onTestFinished(testApp.clock.resume);
  const end = testApp.clock.now() + seconds * 1_000;
  const calls: { at: number; id: number }[] = [];
  const writes = await testApp.meter(async () => {
    await Promise.all(
      Array.from({ length: count }, async (_, process) => {
        const take = await processOf(process);
        const id = 1 + (process % rates.length);
        const number = { companyId: 900 + seed, id, ratePerSecond: rates[id - 1] ?? 80 };
        await time.join(random() * 300);
        while (testApp.clock.now() < end) {
          const reserved = await take(number, campaignSlotCount(number.ratePerSecond), end, time.wait);
          if (reserved === 'suspended' || !('slots' in reserved)) throw new Error('Nothing is suspended here, and nothing has a ceiling.');
          const { slots } = reserved;
          for (const at of slots) calls.push({ at: at + random() * latenessMs, id });
          if (slots.length === 0) break;
        }
        time.leave();
      }),
    );
  });
  calls.sort((a, b) => a.at - b.at);
  return { calls: calls.map(({ at }) => at), numbers: calls.map(({ id }) => id), writes: writes.wru };
}

/** Time passes when everybody waits: then it is at once the next moment that a call waits for. */
function jumpingTime() {
  const waiting: { at: number; go: () => void }[] = [];
  let busy = 0;
  const jump = (): void => {
    if (busy > 0 || waiting.length === 0) return;
    waiting.sort((a, b) => b.at - a.at);
    const next = waiting.pop();
    if (!next) return;
    if (next.at > testApp.clock.now()) testApp.clock.moveTo(Math.ceil(next.at));
    busy++;
    next.go();
  };
  const wait = (at: number): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ at, go: resolve });
      busy--;
      jump();
    });
  return {
    wait,
    join: (afterMs: number): Promise<void> => {
      busy++;
      return wait(testApp.clock.now() + afterMs);
    },
    leave: (): void => {
      busy--;
      jump();
    },
  };
}

/** What a process knows of a number is its own: each gets a copy of the module. */
async function processOf(process: number): Promise<typeof reserveCampaignSlots> {
  const module = `../../functions/messaging/service/send-slots.ts?process=${process}`;
  return ((await import(/* @vite-ignore */ module)) as { reserveCampaignSlots: typeof reserveCampaignSlots }).reserveCampaignSlots;
}
