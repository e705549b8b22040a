import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as allowances from '../../functions/messaging/service/allowances.ts';
import type { reserveChargedSlot } from '../../functions/messaging/service/send-slots.ts';
import { giveBackFreed } from '../../functions/spend/service/freed-money.ts';
import type { CeilingCharge } from '../../functions/spend/service/ceiling-charges.ts';
import { freedCell } from '../../functions/usage/contract/charges.ts';
import { utcDayOf } from '../../functions/usage/contract/count.ts';
import { usagePartEntity } from '../../functions/usage/store.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { type Condition, holdsBy } from '../support/mutation.ts';
import { type Random, seeded } from '../support/random.ts';
import { firstSeed, isFullSize, runSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { ceilingsOf, microsIn, withNumbers, moveToMidMonth } from './fixture.ts';

/**
 * Workers of several processes send from four numbers under one ceiling, until it allows nothing more. What a process knows is its own: each has
 * copies of the modules that remember. What counts is what was taken with slots, which is what the provider is called for.
 */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  moveToMidMonth(testApp);
});
afterAll(() => testApp.stop());

const workers = isFullSize() ? 200 : 40;
const seeds = Array.from({ length: runSize(1, 8) }, (_, nth) => firstSeed + nth);
const numbers = 4;
const processes = 5;

interface Sent {
  micros: number;
  number: number;
}

interface RunOptions {
  limit: number;
  prices: readonly number[];
  random: Random;
  /** The share of calls to the table at which the process that makes it ends. */
  deaths?: number;
  /** The ceiling is set anew when so many were sent. */
  at?: { count: number; limit: number };
  /** The share of messages that are free of charge, or fail, after they were sent. */
  frees?: number;
}

async function run({
  limit,
  prices,
  random,
  deaths = 0,
  at,
  frees = 0,
}: RunOptions): Promise<{ company: TestCompany; sent: Sent[]; refused: number[]; left: number; freed: number; overspent: number }> {
  const company = await newCompany();
  await withNumbers(company, numbers);
  const ceilings = ceilingsOf(testApp, company);
  await ceilings.set({ currency: 'EUR', day: String(limit / 1_000_000), code_reserve_percent: 0 });
  const slots = await Promise.all(Array.from({ length: processes }, (_, nth) => processOf(nth)));
  using _copies = ownAllowances(random);
  const sent: Sent[] = [];
  const refused: number[] = [];
  const outcomes = freedOutcomes(company.id);
  let overspent = 0;
  let isRunning = true;
  let isToChange = at !== undefined;
  using _deaths = testApp.onTable(({ input }) => {
    if (isRunning && deaths > 0 && random() < deaths && /#(PACE|SPEND)/.test(JSON.stringify(input))) throw new Error('The process died.');
  });
  const work = async (nth: number): Promise<void> => {
    const number = { companyId: company.id, id: 1 + (nth % numbers), ratePerSecond: 1_000 };
    const reserve = slots[nth % processes];
    for (;;) {
      const micros = prices[Math.floor(random() * prices.length)] ?? 0;
      const charge: CeilingCharge = { company: { kind: 'other', micros, currency: 'EUR' } };
      const slot = await reserve?.(number, 'direct', charge).catch((error: unknown) => {
        if (error instanceof Error && error.message === 'The process died.') return undefined;
        throw error;
      });
      // the next process of this worker
      if (!slot) continue;
      if ('limit' in slot && !isToChange) {
        if (frees > 0 && (await giveBack(company.id, outcomes))) continue;
        refused.push(micros);
        return;
      }
      if ('limit' in slot || !slot.free) {
        await new Promise((resolve) => setTimeout(resolve, 5 + random() * 20));
        continue;
      }
      sent.push({ micros, number: number.id });
      overspent = Math.max(overspent, totalOf(sent) - outcomes.total() - limit);
      if (random() < frees) void outcomes.free(micros);
      if (at && sent.length === at.count) {
        await ceilings.set({ day: String(at.limit / 1_000_000) });
        isToChange = false;
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, nth) => work(nth)));
  isRunning = false;
  return { company, sent, refused, left: microsIn((await ceilings.get()).day?.left ?? ''), freed: outcomes.total(), overspent };
}

type Outcomes = ReturnType<typeof freedOutcomes>;

/** What messages are proven not to have cost, as the change stream counts it: in parts of the day, one write after another. */
function freedOutcomes(companyId: number) {
  const day = utcDayOf(testApp.clock.now());
  const sums = [0, 0, 0];
  let writes = Promise.resolve();
  return {
    total: (): number => sums.reduce((sum, micros) => sum + micros, 0),
    written: (): Promise<void> => writes,
    free(micros: number): Promise<void> {
      const part = Math.floor((this.total() / micros) % sums.length);
      const cells = { [freedCell({ began: 1, kind: 'other' })]: (sums[part] = (sums[part] ?? 0) + micros) };
      writes = writes.then(async () => void (await usagePartEntity.put({ companyId, day, part, cells, rev: 0, checkpoints: {} })));
      return writes;
    },
  };
}

/** Several processes give back at the same time; one that crashes is followed by the next. Whether any of them did. */
async function giveBack(companyId: number, outcomes: Outcomes): Promise<boolean> {
  const before = outcomes.total();
  await outcomes.written();
  const given = await Promise.all(
    Array.from({ length: 3 }, () =>
      giveBackFreed(companyId).catch((error: unknown) => {
        if (error instanceof Error && error.message === 'The process died.') return true;
        throw error;
      }),
    ),
  );
  return given.includes(true) || outcomes.total() > before;
}

const totalOf = (sent: readonly Sent[]): number => sent.reduce((sum, { micros }) => sum + micros, 0);

/** A copy of the module for each process: what it knows of a number is its own. */
async function processOf(nth: number): Promise<typeof reserveChargedSlot> {
  const module = `../../functions/messaging/service/send-slots.ts?process=${nth}`;
  return ((await import(/* @vite-ignore */ module)) as { reserveChargedSlot: typeof reserveChargedSlot }).reserveChargedSlot;
}

/** Allowances are provided by processes that do not wait for each other. */
function ownAllowances(random: Random): Disposable {
  const copies = Array.from({ length: processes }, (_, nth) => {
    const module = `../../functions/messaging/service/allowances.ts?process=${nth}`;
    return import(/* @vite-ignore */ module) as Promise<typeof allowances>;
  });
  const spy = vi.spyOn(allowances, 'provideAllowance').mockImplementation(async (...given) => {
    const copy = await copies[Math.floor(random() * processes)];
    if (!copy) throw new Error('There is no such process.');
    return copy.provideAllowance(...given);
  });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

describe(`${workers} workers on ${numbers} numbers, whatever comes between them`, () => {
  test(`a ceiling of N prices is N messages, and nothing is left: ${seeds.length} seeds`, { timeout: 600_000 }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const price = 45_600 + Math.floor(random() * 60_000);
      const count = 20 + Math.floor(random() * 200);
      const { sent, left } = await run({ limit: price * count, prices: [price], random });
      expect([seed, sent.length, left]).toEqual([seed, count, 0]);
    }
  });

  test(`of mixed prices less is left than the cheapest that was refused: ${seeds.length} seeds`, { timeout: 600_000 }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed ^ 0x51ed);
      const prices = [31_000, 74_200, 113_100].map((price) => price + Math.floor(random() * 5_000));
      const limit = 4_000_000 + Math.floor(random() * 9_000_000);
      const { sent, refused, left } = await run({ limit, prices, random });
      expect([seed, totalOf(sent) + left]).toEqual([seed, limit]);
      expect(left, `seed ${seed}`).toBeGreaterThanOrEqual(0);
      expect(left, `seed ${seed}`).toBeLessThan(Math.min(...refused));
    }
  });

  test(`killed anywhere, it is never more: ${seeds.length} seeds`, { timeout: 600_000 }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed ^ 0x7a31);
      const limit = 74_200 * (40 + Math.floor(random() * 100));
      const { sent, left } = await run({ limit, prices: [74_200], random, deaths: 0.03 });
      expect(totalOf(sent), `seed ${seed}`).toBeLessThanOrEqual(limit);
      expect(totalOf(sent) + left, `seed ${seed}`).toBeLessThanOrEqual(limit);
    }
  });

  test(`what a third of them did not cost is spent again, once: ${seeds.length} seeds`, { timeout: 600_000 }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed ^ 0x2f05);
      const price = 45_600 + Math.floor(random() * 60_000);
      const limit = price * (20 + Math.floor(random() * 100));
      const { sent, left, freed, overspent } = await run({ limit, prices: [price], random, frees: 0.33 });
      expect([seed, overspent, left]).toEqual([seed, 0, 0]);
      expect([seed, totalOf(sent) - freed]).toEqual([seed, limit]);
    }
  });

  test(`nor, killed anywhere, more than that: ${seeds.length} seeds`, { timeout: 600_000 }, async () => {
    for (const seed of seeds) {
      const random = seeded(seed ^ 0x63b1);
      const limit = 74_200 * (30 + Math.floor(random() * 60));
      const { sent, left, freed, overspent } = await run({ limit, prices: [74_200], random, frees: 0.33, deaths: 0.03 });
      expect([seed, overspent]).toEqual([seed, 0]);
      expect(totalOf(sent) - freed + left, `seed ${seed}`).toBeLessThanOrEqual(limit);
    }
  });

  test('lowered or raised while all send, it is exactly what it is then', { timeout: 600_000 }, async () => {
    const price = 74_200;
    // more than all workers send before the change is answered
    for (const count of [10 * workers, 25 * workers]) {
      const random = seeded(firstSeed + count);
      const at = { count: workers / 2, limit: price * count };
      const { sent, left } = await run({ limit: price * 20 * workers, prices: [price], random, at });
      expect([sent.length, left]).toEqual([count, 0]);
    }
  });

  const holds = (name: string, condition: Condition, expected: RegExp, given: Partial<RunOptions> = {}): void =>
    holdsBy(name, condition, expected, 20, async (round) => {
      const random = seeded(70_000 + round);
      const limit = 74_200 * 60;
      const { sent, left, freed } = await run({ limit, prices: [74_200], random, ...given });
      const spent = totalOf(sent) - freed;
      return [...(spent > limit ? [`overspent by ${spent - limit}`] : []), ...(left >= 74_200 ? [`${left} were left`] : [])];
    });

  holds(
    'that an allowance pays',
    {
      in: 'functions/messaging/store/pace.ts',
      replace: '[atLeast(allowanceField(spend.company.kind), spend.company.micros)]',
      by: '[]',
    },
    /overspent/,
  );
  holds(
    'that an account pays for a grant',
    {
      in: 'functions/spend/store/spend-account.ts',
      replace: 'counterFieldsOf(seen, kind).map((field) => atLeast(field, micros))',
      by: '[]',
    },
    /overspent/,
  );
  holds(
    'that allowances are called in as they were read',
    {
      in: 'functions/messaging/store/pace.ts',
      replace: "any(equals('allowance', seen.allowance), ...(seen.allowance === 0 ? [missing('allowance')] : [])),",
      by: '',
    },
    /overspent/,
  );
  holds(
    'that what was given back is as it was read',
    {
      in: 'functions/spend/store/spend-account.ts',
      replace: 'changeAsSeen(seen, change, freedFields)',
      by: 'changeAsSeen(seen, change)',
    },
    /overspent/,
    { frees: 0.33 },
  );
  holds(
    'the call for what other numbers have',
    {
      in: 'functions/messaging/service/allowances.ts',
      replace: 'if (!isAll && (await callIn(account, { numberId, state, kind }))) continue;',
      by: '',
    },
    /were left/,
  );
});
