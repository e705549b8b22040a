import { afterAll, describe, expect, test, vi } from 'vitest';
import { drawnNow } from '../../shared/contract/route.ts';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { noticedWithout, removed } from '../support/guards.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, startFaultStage } from './fault-run.ts';

/** The way of the product's calls to a store platform. */
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
      real.createProduct(companyId, body, removed.guard === 'operation' ? { ...call, once: drawnNow } : call),
  };
});
vi.mock('../../functions/shop/service/taking-products.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/service/taking-products.ts')>();
  return {
    ...real,
    // without the platform's clock what comes last stands
    takeProduct: (companyId: number, { at, saidAt, ...said }: Parameters<typeof real.takeProduct>[1]) =>
      real.takeProduct(companyId, removed.guard === 'product-clock' ? said : { ...said, at, saidAt }),
  };
});
vi.mock('../../functions/shop/domain/order.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/domain/order.ts')>();
  return {
    ...real,
    told: (...[seen, said, ...rest]: Parameters<typeof real.told>) => {
      if (removed.guard !== 'order-clock') return real.told(seen, said, ...rest);
      const { sourceAt: _at, ...timeless } = seen;
      return real.told(timeless, said, ...rest);
    },
  };
});
vi.mock('../../functions/shop/store/order.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/order.ts')>();
  return {
    ...real,
    findOrderClaim: async (id: Parameters<typeof real.findOrderClaim>[0]) =>
      removed.guard === 'order-claim' && id.by === 'external' ? undefined : real.findOrderClaim(id),
    claimOrder: async (claim: Parameters<typeof real.claimOrder>[0]) => {
      const claimed = await real.claimOrder(claim);
      return removed.guard === 'order-claim' ? { done: true as const, item: claim } : claimed;
    },
  };
});
vi.mock('../../functions/shop/store/product.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/product.ts')>();
  return {
    ...real,
    claimExternalId: async (claim: Parameters<typeof real.claimExternalId>[0]) => {
      const claimed = await real.claimExternalId(claim);
      return removed.guard === 'product-claim' ? { done: true as const, item: claim } : claimed;
    },
  };
});
vi.mock('../../functions/shop/store/cart.ts', async (original) => {
  const real = await original<typeof import('../../functions/shop/store/cart.ts')>();
  return {
    ...real,
    claimNotice: async (notice: Parameters<typeof real.claimNotice>[0]) =>
      removed.guard === 'notice-claim' ? notice.at : real.claimNotice(notice),
    claimReminder: async (...args: Parameters<typeof real.claimReminder>) =>
      removed.guard === 'reminder-claim' || real.claimReminder(...args),
    markOrdered: async (...args: Parameters<typeof real.markOrdered>) =>
      removed.guard === 'order-mark' ? undefined : real.markOrdered(...args),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) => (await import('../support/guards.ts')).withoutMarks(await original()));
vi.mock('../../shared/queue/consume.ts', async (original) => (await import('../support/guards.ts')).withoutFailures(await original()));

const stage = await startFaultStage(outside);
afterAll(() => stage[Symbol.asyncDispose]());

const count = Number(process.env['SEEDS'] ?? 3);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs nothing acknowledged is lost or stands twice, counts equal a recount, customers are told once`,
    async () => {
      for (let first = 1; first <= count; first += 4) expect(await stage.run(seedsFrom(first, Math.min(4, count + 1 - first)))).toEqual([]);
      for (const round of visits()) expect(await stage.run(seedsFrom(50_001 + round * 4, 4))).toEqual([]);
    },
    60_000 + count * 10_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: string, expected: RegExp, emphasis: Emphasis]>([
      ['the platform’s clock of a product', 'product-clock', /product \d+ is/, { deaths: 0 }],
      ['the platform’s clock of an order', 'order-clock', /order #\S+ is/, { deaths: 0 }],
      ['the claim of an order’s external id', 'order-claim', /orders have the external id/, { deaths: 0 }],
      ['the claim of a product’s external id', 'product-claim', /products have the source external id/, {}],
      ['the operation of an Idempotency-Key', 'operation', /products have the api name/, { deaths: 0.9, calls: 6 }],
      ['the claim of a notice', 'notice-claim', /twice or more/, { duplicates: 1 }],
      ['the claim of a reminder', 'reminder-claim', /twice or more|was not to be sent/, { duplicates: 1 }],
      ['that an order ends a cart', 'order-mark', /cart_left\S* was not to be sent/, { deaths: 0 }],
      ['the checkpoints of folded changes', 'checkpoints', /recounted/, { duplicates: 1 }],
      ['that what failed comes again', 'failures', /is undefined|never reached|is \S+.*, not/, { deaths: 0.9 }],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, guard, expected, emphasis) => {
      const first = 300_000 + guard.length * 1_000 + (guard.codePointAt(0) ?? 0) * 40;
      const noticed = await noticedWithout(guard, expected, 20, (round) => stage.run([first + round], emphasis));
      expect(noticed).toMatch(expected);
    },
    180_000,
  );
});
