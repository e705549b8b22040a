import { changesContext } from '../../functions/changes/context.ts';
import { dispatchContext } from '../../functions/dispatch/context.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { shopContext } from '../../functions/shop/context.ts';
import { type Platform, startPlatform } from '../../lib/local/storeplatform/platform.ts';
import type { Answer } from '../support/gateway-event.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { clientsOf, type Until } from './fault-clients.ts';
import { type RunRecord, findViolations, notifiedStatuses } from './fault-oracle.ts';
import { phoneOf, writePlatformScript, storeRecords, type PlatformCall } from './platform-script.ts';
import { installer } from './installer.ts';
import { type Merchant, newMerchant, type Fixture, startFixture } from './fixture.ts';

/**
 * Runs made by a seed: a store platform posts shuffled, doubled and late, an ERP syncs, orders and products are made and changed through
 * the API, stores are connected and imported, carts fall due; and on the way processes die before or after any call to the table, a queue
 * or the outside, deliveries come twice and shuffled, and the table gives trouble. Platform and clients repeat what was not acknowledged, and
 * nothing else. When all is quiet the shop must be as if nothing had happened.
 */
export interface FaultFixture extends AsyncDisposable {
  stage: Fixture;
  platform: Platform;
  /** What was wrong, in words; the seeds' runs one after another, in a company of their own. */
  run: (seeds: readonly number[], emphasis?: Emphasis) => Promise<string[]>;
}

/** What a run has more of than the usual, so that a guard that is missing is noticed soon. */
export interface Emphasis {
  /** Share of processes that die. */
  deaths?: number;
  /** Share of batches that are delivered twice. */
  duplicates?: number;
  /** How often somebody calls between two deliveries. */
  calls?: number;
}

/** A test's way to be asked before every call of the product to a foreign system that does not go through `fetch`. */
export interface ForeignCalls {
  through: <T>(address: string, call: () => Promise<T>) => Promise<T>;
}

const clientSecret = 'a storeplatform-app key of the test world only';
const contexts = [shopContext, changesContext, dispatchContext, messagingContext];
const cartMinutes = 45;
const opsOfSeed = 10;

export const startFaultFixture = async (outside: ForeignCalls): Promise<FaultFixture> => {
  const platform = await startPlatform({ clientId: 'k1', clientSecret, post: () => Promise.resolve(200) });
  const stage = await startFixture({
    contexts,
    shards: 3,
    env: { STOREPLATFORM_BASE_URL: platform.url, SWITCHBOARD_LOCAL: '1' },
  });
  return {
    stage,
    platform,
    run: (seeds, emphasis) => faultRuns({ stage, platform, outside }, seeds, emphasis),
    [Symbol.asyncDispose]: async () => void (await Promise.all([stage.stop(), platform.stop()])),
  };
};

interface Ground {
  stage: Fixture;
  platform: Platform;
  outside: ForeignCalls;
}

async function faultRuns({ stage, platform, outside }: Ground, seeds: readonly number[], emphasis?: Emphasis): Promise<string[]> {
  const { world, stub } = stage;
  const { deaths = 0.4, duplicates = 0.3, calls = 1 } = emphasis ?? {};
  const me = await merchantOf(stage);
  const life = crashInjection();
  const install = installer(
    () => world,
    () => platform,
  );
  let deadlyLeft = 6;
  outside.through = life.fetching;
  using _life = life.over(world, stub.url);

  const acted: RunRecord[] = [];
  const late: { word: PlatformCall; until: Until }[] = [];
  try {
    for (const seed of seeds) {
      acted.push(await act(seed));
      await settle();
    }
    // what the platform said long ago arrives last
    for (const { word, until } of late) await post(word, until);
    await world.drain();
    if (acted.some(({ store }) => store !== undefined)) await nextDay(seeded(seeds[0] ?? 0));
    await settle();
    // a product without its guards may throw away what it must not
    if (emphasis === undefined) await replayHalfADayLater(world, seeds[0] ?? 0);
  } finally {
    outside.through = (_address, call) => call();
  }
  return await findViolations({ stage, platform, me, acted });

  async function act(seed: number): Promise<RunRecord> {
    using hardship = injectFaults(world, seed);
    const random = seeded(seed);
    const pick = (most: number): number => Math.floor(random() * most);
    const dies = (most: number): number | undefined => (random() < deaths ? 1 + pick(most) : undefined);
    const until: Until = async (call) => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const answer = await life.mortal(attempt < 4 ? dies(18) : undefined, call);
        if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429) return answer;
        if (answer?.status === 409 || answer?.status === 429) world.clock.advance(answer.status === 409 ? 36_000 : 60_000);
      }
      throw new Error('A call was never answered.');
    };
    const startedAt = world.clock.now();
    const truth = writePlatformScript(seed, random, startedAt);
    const clients = clientsOf(me, seed, random, phoneOf(seed, 3), until);
    const words = shuffled(truth.calls, random);
    const isLate = (word: PlatformCall): boolean =>
      !word.topic.startsWith('checkouts/') && !endsCart(word) && !isOf(word, truth.forgotten.externalId) && random() < 0.1;
    for (const word of words.filter(isLate)) late.push({ word, until });
    const waiting = words.filter((word) => !late.some((each) => each.word === word));
    const store = seed % 4 === 1 ? storeRecords(seed, truth) : undefined;
    const shop = `fault-${seed}-${me.company.id}.myshopify.com`;
    const connectAt = store === undefined ? -1 : pick(opsOfSeed);

    for (let op = 0; op < opsOfSeed; op++) {
      if (op === connectAt && store) {
        Object.assign(platform.shop(shop), { products: store.products, orders: store.orders });
        await connect(shop, until, dies);
      }
      for (const word of waiting.splice(0, pick(5))) await post(word, until, random() < 0.3);
      for (let call = 0; call < calls; call++) if (random() < 0.8) await clients.act();
      if (random() < 0.5) await drain(dies(80), seed * 100 + op);
      if (random() < 0.2) await life.mortal(dies(20), () => world.tick('every-minute'));
      await life.mortal(dies(20), () => hardship.between());
      world.clock.advance(pick(20_000));
    }
    for (const word of waiting) await post(word, until);
    await world.drain({ disorder: { seed, duplicate: duplicates, reorder: true }, retry: false });
    await post(truth.forgotten.word, until, random() < 0.3);
    // the carts that were left fall due
    world.clock.moveTo(startedAt + cartMinutes * 60_000 - 90_000);
    for (let round = 0; round < 3; round++) {
      await life.mortal(dies(20), () => world.tick('every-minute'));
      await drain(dies(60), seed * 100 + 50 + round, 60_000);
      world.clock.advance(45_000);
    }
    return { seed, truth, clients, store: store && { shop, own: store.own } };
  }

  /** What failed comes again with the next drain; who died over it eight times would lose it to the dead letters, as it should be. */
  async function drain(steps: number | undefined, seed: number, aheadMs?: number): Promise<void> {
    const isDeadly = deadlyLeft-- > 0;
    const disorder = { seed, duplicate: duplicates, crash: isDeadly ? 0.15 : 0, replay: 0.1, reorder: true };
    const soon = aheadMs === undefined ? {} : ({ including: 'delayed', until: world.clock.now() + aheadMs } as const);
    await life.mortal(isDeadly ? steps : undefined, () => world.drain({ ...soon, disorder, retry: false }));
  }

  async function post({ topic, body, headers }: PlatformCall, until: Until, isDoubled = false): Promise<void> {
    const told = (): Promise<Answer> => me.post('storeplatform', topic, body, headers);
    await until(told);
    if (isDoubled) await life.mortal(undefined, told);
  }

  /** As a person does: who gets no answer begins anew, and looks in the end whether the store is there. */
  async function connect(shop: string, until: Until, dies: (most: number) => number | undefined): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const page = await life.mortal(attempt < 4 ? dies(10) : undefined, async () => {
        const { back, cookie } = await install.consented(shop);
        return install.finish(back, cookie);
      });
      if (page?.status !== 200) continue;
      const claim = install.claimOf(page);
      // 422 to who asks again: it was claimed
      await until(() => me.api('POST', '/shop/connections', { claim }));
      const { data } = (await until(() => me.api('GET', '/shop/connections'))).body as { data: { shop: string }[] };
      if (data.some((each) => each.shop === shop)) return;
    }
    throw new Error('A store could not be connected.');
  }

  /** A day later the connected stores are looked after, their tokens renewed, and webhooks that the platform dropped registered again. */
  async function nextDay(random: Random): Promise<void> {
    using _hardship = injectFaults(world, 1);
    for (const { store } of acted) if (store) platform.shop(store.shop).subscriptions.splice(0, 2);
    world.clock.advance(25 * 3_600_000);
    for (let round = 0; round < 4; round++) {
      const steps = random() < deaths ? 1 + Math.floor(random() * 60) : undefined;
      await life.mortal(steps, () => world.tick('every-minute'));
      await drain(steps, round, 60_000);
      world.clock.advance(90_000);
    }
  }

  /** Until everything that fell due is done, and of what nobody knows is known that nobody will. What fails waits, as a queue lets it wait. */
  async function settle(): Promise<void> {
    deadlyLeft = 6;
    for (let round = 0; round < 6; round++) {
      await world.tick('every-minute');
      await world.drain({ including: 'delayed', until: world.clock.now() + 130_000, retry: false });
      world.clock.advance(120_000);
    }
  }
}

const endsCart = ({ topic, body }: PlatformCall): boolean =>
  topic.startsWith('orders/') && (body as { checkout_token?: string }).checkout_token !== undefined;

const isOf = ({ body }: PlatformCall, externalId: string): boolean => (body as { id: unknown }).id === externalId;

async function merchantOf(stage: Fixture): Promise<Merchant> {
  const me = await newMerchant(stage);
  const moved = {
    template_id: me.templates.moved,
    paramvalues: ['friend', '', ''],
    parammatch: { '1': 'customer_name', '2': 'order_number', '3': 'status' },
  };
  const left = {
    template_id: me.templates.left,
    paramvalues: ['there', 'https://shop.example'],
    parammatch: { '1': 'customer_name', '2': 'cart_url' },
  };
  const answer = await me.settings({
    abandoned_cart: { enabled: true, delay_minutes: cartMinutes, ...left },
    order_notifications: Object.fromEntries(notifiedStatuses.map((status) => [status, moved])),
  });
  if (answer.status !== 200) throw new Error(answer.raw);
  // its receiver is made by the first post
  await me.post('storeplatform', 'none', {});
  return me;
}
