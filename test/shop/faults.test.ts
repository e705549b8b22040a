import { afterAll, describe, expect, test } from 'vitest';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, failuresComeAgain, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, startFaultFixture } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

const fixture = await startFaultFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

const count = runSize(1, 8);

describe('under crashes, repeats and delays', () => {
  test(
    `${count} runs lose and duplicate nothing acknowledged, keep counters equal to a recount and notify customers once`,
    async () => {
      for (let done = 0; done < count; done += 4)
        expect(await fixture.run(seedsFrom(firstSeed + done, Math.min(4, count - done)))).toEqual([]);
      for (const round of targetedRounds()) expect(await fixture.run(seedsFrom(50_001 + round * 4, 4))).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void =>
    holdsBy(name, condition, expected, 20, (round) => fixture.run([seed + round], emphasis));

  holds(
    'the comparison by a product’s clock',
    { in: 'functions/shop/service/platform-products.ts', replace: 'if (!isNew && isOlder(update, seen)) return undefined;', by: '' },
    /product \d+ is/,
    317_480,
    { deaths: 0 },
  );
  holds(
    'the comparison by an order’s clock',
    {
      in: 'functions/shop/domain/order.ts',
      replace: 'if (!isNew && isOlder(update, seen)) return withLateStatus(withShipments(seen, shipments, at), update);',
      by: '',
    },
    /order #\S+ is/,
    315_440,
    { deaths: 0 },
  );
  holds(
    'the claim of an order’s external id',
    [
      {
        in: 'functions/shop/store/order.ts',
        replace: 'orderClaimEntity.get(id, { consistent: true })',
        by: "id.by === 'external' ? Promise.resolve(undefined) : orderClaimEntity.get(id, { consistent: true })",
      },
      { in: 'functions/shop/store/order.ts', replace: 'orderClaimEntity.put(claim, missing())', by: 'orderClaimEntity.put(claim)' },
    ],
    /orders have the external id/,
    315_440,
    { deaths: 0 },
  );
  holds(
    'the claim of a product’s external id',
    { in: 'functions/shop/store/product.ts', replace: 'productClaimEntity.put(claim, missing())', by: 'productClaimEntity.put(claim)' },
    /products have the source external id/,
    317_480,
    {},
  );
  holds(
    'the operation id of an Idempotency-Key',
    {
      in: 'functions/shop/service/products.ts',
      replace: "once('id', () => nextIds(companyId, productEntityName, 1))",
      by: 'nextIds(companyId, productEntityName, 1)',
    },
    /products have the api name/,
    313_440,
    { deaths: 0.9, calls: 6 },
  );
  holds(
    'the claim of a notification',
    { in: 'functions/shop/store/cart.ts', replace: 'if (claimed.done) return notice.at;', by: 'return notice.at;' },
    /twice or more/,
    322_400,
    { duplicates: 1 },
  );
  holds(
    'the claim of a reminder',
    {
      in: 'functions/shop/store/cart.ts',
      replace: "return (await commit({ cart: cartEntity.putting(claimed, equals('rev', cart.rev)), activity })).done;",
      by: 'return true;',
    },
    /twice or more|was not to be sent/,
    318_560,
    { duplicates: 1 },
  );
  holds(
    'the record of an order that ends a cart',
    {
      in: 'functions/shop/store/cart.ts',
      replace: 'async (companyId: number, keys: CustomerKeys, orderedAt: number): Promise<void> => {',
      by: 'async (companyId: number, keys: CustomerKeys, orderedAt: number): Promise<void> => {\n    return;',
    },
    /cart_left\S* was not to be sent/,
    316_440,
    { deaths: 0 },
  );
  holds('the checkpoint of projections', checkpoints, /recounted/, 314_960, { duplicates: 1 });
  holds('the retry of a failed message', failuresComeAgain, /is undefined|never reached|is \S+.*, not/, 312_080, { deaths: 0.9 });
});
