import { createHmac } from 'node:crypto';
import { vi } from 'vitest';
import { changeStreamContext, dueWorkContext } from '../../functions/app.ts';
import { erasuresContext } from '../../functions/erasures/context.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { templatesContext } from '../../functions/templates/context.ts';
import { shopContext } from '../../functions/shop/context.ts';
import * as guarded from '../../shared/runtime/fetch.ts';
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
 * Seeded runs: a store platform posts shuffled, doubled and late; an ERP syncs; clients create and change orders and products; stores are
 * connected and imported; carts fall due. Meanwhile processes crash before or after any call to the table, a queue or a foreign system,
 * deliveries repeat and change their order, and the table fails. Platform and clients repeat only what was not acknowledged. Afterwards the
 * shop must equal an undisturbed one.
 */
export interface FaultFixture extends AsyncDisposable {
  fixture: Fixture;
  platform: Platform;
  /** The violations of the seeds' runs, one after another in a company of their own. */
  run: (seeds: readonly number[], emphasis?: Emphasis) => Promise<string[]>;
}

/** Raises some rates of a run, so that a removed safeguard is noticed soon. */
export interface Emphasis {
  /** Share of processes that crash. */
  deaths?: number;
  /** Share of batches that are delivered twice. */
  duplicates?: number;
  /** Number of client calls between two deliveries. */
  calls?: number;
}

const clientSecret = 'a storeplatform-app key of the test app only';
const contexts = [shopContext, erasuresContext, changeStreamContext, dueWorkContext, messagingContext, templatesContext];
const cartMinutes = 45;
const opsOfSeed = 10;

export const startFaultFixture = async (): Promise<FaultFixture> => {
  const platform = await startPlatform({ clientId: 'k1', clientSecret, post: () => Promise.resolve(200) });
  const fixture = await startFixture({
    contexts,
    shards: 4,
    env: { STOREPLATFORM_BASE_URL: platform.url, SWITCHBOARD_LOCAL: '1' },
  });
  return {
    fixture,
    platform,
    run: (seeds, emphasis) => faultRuns({ fixture, platform }, seeds, emphasis),
    [Symbol.asyncDispose]: async () => void (await Promise.all([fixture.stop(), platform.stop()])),
  };
};

interface Ground {
  fixture: Fixture;
  platform: Platform;
}

async function faultRuns({ fixture, platform }: Ground, seeds: readonly number[], emphasis?: Emphasis): Promise<string[]> {
  const { testApp, stub } = fixture;
  const { deaths = 0.4, duplicates = 0.3, calls: callRate = 1 } = emphasis ?? {};
  const me = await merchantOf(fixture);
  const mainStore = `main-${me.company.id}.myshopify.com`;
  const postToStore = await connectedStore({ fixture, platform, me, shop: mainStore });
  const crashes = crashInjection();
  const install = installer(
    () => testApp,
    () => platform,
  );
  let deadlyLeft = 6;
  const { guardedFetch } = guarded;
  // the product's calls to a store platform, which do not use the global `fetch`
  const calls = vi.spyOn(guarded, 'guardedFetch');
  calls.mockImplementation((address, request) => crashes.fetching(address, () => guardedFetch(address, request)));
  using _life = crashes.over(testApp, stub.url);

  const records: RunRecord[] = [];
  const late: { call: PlatformCall; until: Until }[] = [];
  try {
    for (const seed of seeds) {
      records.push(await act(seed));
      await runToQuiet();
    }
    // Calls of the platform that arrive late.
    for (const { call, until } of late) await post(call, until);
    await testApp.drain();
    if (records.some(({ store }) => store !== undefined)) await nextDay(seeded(seeds[0] ?? 0));
    await runToQuiet();
    // Without a safeguard the product may lose data that this step expects.
    if (emphasis === undefined) await replayHalfADayLater(testApp, seeds[0] ?? 0);
  } finally {
    calls.mockRestore();
  }
  return await findViolations({ fixture, platform, me, records });

  async function act(seed: number): Promise<RunRecord> {
    await using faults = await injectFaults(testApp, seed);
    const random = seeded(seed);
    const pick = (most: number): number => Math.floor(random() * most);
    const crashStep = (most: number): number | undefined => (random() < deaths ? 1 + pick(most) : undefined);
    const until: Until = async (call) => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const answer = await crashes.runWithCrash(attempt < 4 ? crashStep(18) : undefined, call);
        if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429) return answer;
        if (answer?.status === 409 || answer?.status === 429) testApp.clock.advance(answer.status === 409 ? 36_000 : 60_000);
      }
      throw new Error('A call was never answered.');
    };
    const startedAt = testApp.clock.now();
    const truth = writePlatformScript(seed, random, startedAt);
    const clients = clientsOf(me, seed, random, phoneOf(seed, 3), until);
    const calls = shuffled(truth.calls, random);
    const isLate = (call: PlatformCall): boolean =>
      !call.topic.startsWith('checkouts/') && !endsCart(call) && !isOf(call, truth.forgotten.externalId) && random() < 0.1;
    for (const call of calls.filter(isLate)) late.push({ call, until });
    const waiting = calls.filter((call) => !late.some((each) => each.call === call));
    const store = seed % 4 === 1 ? storeRecords(seed, truth) : undefined;
    const shop = `fault-${seed}-${me.company.id}.myshopify.com`;
    const connectAt = store === undefined ? -1 : pick(opsOfSeed);

    for (let op = 0; op < opsOfSeed; op++) {
      if (op === connectAt && store) {
        Object.assign(platform.shop(shop), { products: store.products, orders: store.orders });
        await connect(shop, until, crashStep);
      }
      for (const call of waiting.splice(0, pick(5))) await post(call, until, random() < 0.3);
      for (let call = 0; call < callRate; call++) if (random() < 0.8) await clients.act();
      if (random() < 0.5) await drain(crashStep(80), seed * 100 + op);
      if (random() < 0.2) await crashes.runWithCrash(crashStep(20), () => testApp.tick('every-minute'));
      await crashes.runWithCrash(crashStep(20), () => faults.between());
      testApp.clock.advance(pick(20_000));
    }
    for (const call of waiting) await post(call, until);
    await testApp.drain({ disorder: { seed, duplicate: duplicates, reorder: true }, retry: false });
    await post(truth.forgotten.call, until, random() < 0.3);
    // The abandoned carts fall due.
    testApp.clock.moveTo(startedAt + cartMinutes * 60_000 - 90_000);
    for (let round = 0; round < 3; round++) {
      await crashes.runWithCrash(crashStep(20), () => testApp.tick('every-minute'));
      await drain(crashStep(60), seed * 100 + 50 + round, 60_000);
      testApp.clock.advance(45_000);
    }
    return { seed, truth, clients, store: store && { shop, own: store.own } };
  }

  /** Failed messages stay for the next drain; a message that crashed eight times would move to the dead-letter queue, as it should. */
  async function drain(steps: number | undefined, seed: number, aheadMs?: number): Promise<void> {
    const isDeadly = deadlyLeft-- > 0;
    const disorder = { seed, duplicate: duplicates, crash: isDeadly ? 0.15 : 0, replay: 0.1, reorder: true };
    const soon = aheadMs === undefined ? {} : ({ including: 'delayed', until: testApp.clock.now() + aheadMs } as const);
    await crashes.runWithCrash(isDeadly ? steps : undefined, () => testApp.drain({ ...soon, disorder, retry: false }));
  }

  async function post({ topic, body, headers }: PlatformCall, until: Until, isDoubled = false): Promise<void> {
    const send = (): Promise<Answer> =>
      postToStore(topic, topic === 'customers/redact' ? { ...(body as object), shop_domain: mainStore } : body, headers);
    await until(send);
    if (isDoubled) await crashes.runWithCrash(undefined, send);
  }

  /** Connects a store as a user does: without a response the user starts again, and looks for the store in the end. */
  async function connect(shop: string, until: Until, crashStep: (most: number) => number | undefined): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const page = await crashes.runWithCrash(attempt < 4 ? crashStep(10) : undefined, async () => {
        const { back, cookie } = await install.consented(shop);
        return install.finish(back, cookie);
      });
      if (page?.status !== 200) continue;
      const claim = install.claimOf(page);
      // A repeated claim is 422, because the first one used it.
      await until(() => me.api('POST', '/shop/connections', { claim }));
      const { data } = (await until(() => me.api('GET', '/shop/connections'))).body as { data: { shop: string }[] };
      if (data.some((each) => each.shop === shop)) return;
    }
    throw new Error('A store could not be connected.');
  }

  /** A day later: maintenance refreshes the tokens and registers the webhooks that the platform dropped. */
  async function nextDay(random: Random): Promise<void> {
    await using _faults = await injectFaults(testApp, 1);
    for (const { store } of records) if (store) platform.shop(store.shop).subscriptions.splice(0, 2);
    testApp.clock.advance(25 * 3_600_000);
    for (let round = 0; round < 4; round++) {
      const steps = random() < deaths ? 1 + Math.floor(random() * 60) : undefined;
      await crashes.runWithCrash(steps, () => testApp.tick('every-minute'));
      await drain(steps, round, 60_000);
      testApp.clock.advance(90_000);
    }
  }

  /** Runs until all due work is done and ambiguous sends have timed out. Failed messages wait for the next round. */
  async function runToQuiet(): Promise<void> {
    deadlyLeft = 6;
    for (let round = 0; round < 6; round++) {
      await testApp.tick('every-minute');
      await testApp.drain({ including: 'delayed', until: testApp.clock.now() + 130_000, retry: false });
      testApp.clock.advance(120_000);
    }
  }
}

const endsCart = ({ topic, body }: PlatformCall): boolean =>
  topic.startsWith('orders/') && (body as { checkout_token?: string }).checkout_token !== undefined;

const isOf = ({ body }: PlatformCall, externalId: string): boolean => (body as { id: unknown }).id === externalId;

async function merchantOf(fixture: Fixture): Promise<Merchant> {
  const me = await newMerchant(fixture);
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
  return me;
}

type PostToStore = (topic: string, body: unknown, headers: Record<string, string>) => Promise<Answer>;

/** Connects the store whose webhooks the run posts, to the receiver that the connection owns: only there notices are taken. */
async function connectedStore(setup: { fixture: Fixture; platform: Platform; me: Merchant; shop: string }): Promise<PostToStore> {
  const { fixture, platform, me, shop } = setup;
  const { testApp } = fixture;
  const install = installer(
    () => testApp,
    () => platform,
  );
  const { back, cookie } = await install.consented(shop);
  const answer = await me.api('POST', '/shop/connections', { claim: install.claimOf(await install.finish(back, cookie)) });
  if (answer.status !== 201) throw new Error(answer.raw);
  await testApp.drain();
  const { uri } = platform.shop(shop).subscriptions[0] ?? {};
  if (uri === undefined) throw new Error('The store was not set up.');
  const path = new URL(uri).pathname;
  return (topic, body, headers) => {
    const raw = JSON.stringify(body);
    const signature = createHmac('sha256', clientSecret).update(raw).digest('base64');
    const all = { 'content-type': 'application/json', 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': signature, ...headers };
    return testApp.call({ method: 'POST', path, body: raw, headers: all });
  };
}
