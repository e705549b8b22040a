import { afterAll, describe, expect, test, vi } from 'vitest';
import { drawWithoutKey } from '../../shared/contract/route.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, startFaultFixture } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

/** Wraps the product's calls to a store platform. */
const outside = vi.hoisted(() => ({ through: <T>(_address: string, call: () => Promise<T>): Promise<T> => call() }));

vi.mock('../../shared/runtime/fetch.ts', async (original) => {
  const real = await original<typeof import('../../shared/runtime/fetch.ts')>();
  return {
    ...real,
    guardedFetch: (...args: Parameters<typeof real.guardedFetch>) => outside.through(args[0], () => real.guardedFetch(...args)),
  };
});

vi.mock('../../functions/shop/service/products.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/service/products.ts')>();
  return {
    ...real,
    createProduct: (...[companyId, body, call]: Parameters<typeof real.createProduct>) =>
      real.createProduct(companyId, body, removedCondition.name === 'operation' ? { ...call, once: drawWithoutKey } : call),
  };
});
vi.mock('../../functions/shop/service/platform-products.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/service/platform-products.ts')>();
  return {
    ...real,
    // Without the platform's clock the last arrival wins.
    upsertPlatformProduct: (companyId: number, { at, reportedAt, ...update }: Parameters<typeof real.upsertPlatformProduct>[1]) =>
      real.upsertPlatformProduct(companyId, removedCondition.name === 'product-clock' ? update : { ...update, at, reportedAt }),
  };
});
vi.mock('../../functions/shop/domain/order.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/domain/order.ts')>();
  return {
    ...real,
    applyOrderUpdate: (...[seen, update, ...rest]: Parameters<typeof real.applyOrderUpdate>) => {
      if (removedCondition.name !== 'order-clock') return real.applyOrderUpdate(seen, update, ...rest);
      const { sourceAt: _at, ...timeless } = seen;
      return real.applyOrderUpdate(timeless, update, ...rest);
    },
  };
});
vi.mock('../../functions/shop/store/order.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/order.ts')>();
  return {
    ...real,
    getOrderClaim: async (id: Parameters<typeof real.getOrderClaim>[0]) =>
      removedCondition.name === 'order-claim' && id.by === 'external' ? undefined : real.getOrderClaim(id),
    createOrderClaim: async (claim: Parameters<typeof real.createOrderClaim>[0]) => {
      const claimed = await real.createOrderClaim(claim);
      return removedCondition.name === 'order-claim' ? { done: true as const, item: claim } : claimed;
    },
  };
});
vi.mock('../../functions/shop/store/product.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/product.ts')>();
  return {
    ...real,
    createProductClaim: async (claim: Parameters<typeof real.createProductClaim>[0]) => {
      const claimed = await real.createProductClaim(claim);
      return removedCondition.name === 'product-claim' ? { done: true as const, item: claim } : claimed;
    },
  };
});
vi.mock('../../functions/shop/store/cart.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/cart.ts')>();
  return {
    ...real,
    claimNotification: async (notice: Parameters<typeof real.claimNotification>[0]) =>
      removedCondition.name === 'notification-claim' ? notice.at : real.claimNotification(notice),
    claimReminder: async (...args: Parameters<typeof real.claimReminder>) =>
      removedCondition.name === 'reminder-claim' || real.claimReminder(...args),
    recordOrder: async (...args: Parameters<typeof real.recordOrder>) =>
      removedCondition.name === 'order-record' ? undefined : real.recordOrder(...args),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);
vi.mock('../../shared/queue/consume.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutBatchFailures(await original()),
);

const stage = await startFaultFixture(outside);
afterAll(() => stage[Symbol.asyncDispose]());

const count = runSize(1, 8);

describe('under crashes, repeats and delays', () => {
  test(
    `${count} runs lose and duplicate nothing acknowledged, keep counters equal to a recount and notify customers once`,
    async () => {
      for (let done = 0; done < count; done += 4)
        expect(await stage.run(seedsFrom(firstSeed + done, Math.min(4, count - done)))).toEqual([]);
      for (const round of targetedRounds()) expect(await stage.run(seedsFrom(50_001 + round * 4, 4))).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp, emphasis: Emphasis]>([
      ['the comparison by a product’s clock', 'product-clock', /product \d+ is/, { deaths: 0 }],
      ['the comparison by an order’s clock', 'order-clock', /order #\S+ is/, { deaths: 0 }],
      ['the claim of an order’s external id', 'order-claim', /orders have the external id/, { deaths: 0 }],
      ['the claim of a product’s external id', 'product-claim', /products have the source external id/, {}],
      ['the operation id of an Idempotency-Key', 'operation', /products have the api name/, { deaths: 0.9, calls: 6 }],
      ['the claim of a notification', 'notification-claim', /twice or more/, { duplicates: 1 }],
      ['the claim of a reminder', 'reminder-claim', /twice or more|was not to be sent/, { duplicates: 1 }],
      ['the record of an order that ends a cart', 'order-record', /cart_left\S* was not to be sent/, { deaths: 0 }],
      ['the checkpoint of projections', 'checkpoints', /recounted/, { duplicates: 1 }],
      ['the retry of a failed message', 'failures', /is undefined|never reached|is \S+.*, not/, { deaths: 0.9 }],
    ]),
  )(
    'the runs notice when %s is removed',
    async (_, condition, expected, emphasis) => {
      const first = 300_000 + condition.length * 1_000 + (condition.codePointAt(0) ?? 0) * 40;
      const noticed = await violationsWithout(condition, expected, 20, (round) => stage.run([first + round], emphasis));
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
