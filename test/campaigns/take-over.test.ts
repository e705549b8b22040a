import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAudience } from '../../functions/campaigns/service/build-audience.ts';
import { sendBatch } from '../../functions/campaigns/service/send-batch.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { statusPost, type TestCompany } from '../support/company.ts';
import { Crash } from '../support/crash-points.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';
import { mendedBy } from '../support/mutation.ts';

let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

/**
 * Invocations that can be stopped, as by a crash: one that was makes no other call, none to its queue either. `onSent` runs within the invocation
 * whose message the provider took.
 */
function stoppable(onSent: (stop: () => void) => void): Disposable & { stop: () => void } {
  const { testApp, provider } = fixture;
  const lives = new AsyncLocalStorage<{ isDead: boolean }>();
  const refuse = (): void => {
    if (lives.getStore()?.isDead) throw new Crash('The process died.');
  };
  const stop = (): void => {
    const life = lives.getStore();
    if (life) life.isDead = true;
  };
  const hooks = new DisposableStack();
  hooks.use(testApp.onTable(refuse));
  hooks.use(testApp.onQueue(refuse));
  hooks.use(
    onFetch(async (address, call) => {
      refuse();
      const answer = await call();
      if (lives.getStore() && address.startsWith(provider.url) && address.endsWith('/messages')) onSent(stop);
      refuse();
      return answer;
    }),
  );
  hooks.use(
    testApp.aroundInvocations((work) => {
      const life = { isDead: false };
      return lives.run(life, async () => {
        try {
          return await work();
        } finally {
          if (life.isDead) clearProcessMemory();
        }
      });
    }),
  );
  return { stop, [Symbol.dispose]: () => hooks.dispose() };
}

/** The invocation whose n-th message the provider takes is stopped then. */
function deathAt(nth: number): Disposable & { at: () => number } {
  let [calls, diedAt] = [0, 0];
  const hooks = stoppable((stop) => {
    if (++calls !== nth) return;
    stop();
    diedAt = fixture.testApp.clock.now();
  });
  return { at: () => diedAt, [Symbol.dispose]: () => hooks[Symbol.dispose]() };
}

/** The invocation that has sent n messages, one after another, is stopped before it takes a slot for the next. Its number has one slot at a time. */
function deathAfter(count: number): Disposable {
  let [slots, sent] = [0, 0];
  const hooks = new DisposableStack();
  const { stop } = hooks.use(stoppable(() => void sent++));
  hooks.use(
    fixture.testApp.onTable(async ({ input, when }) => {
      if (!JSON.stringify(input).includes('#PACE#')) return;
      if (when === 'after') slots++;
      else {
        await expect.poll(() => sent, { interval: 5, timeout: 60_000 }).toBe(slots);
        if (slots < count) return;
        stop();
        throw new Crash('The process died.');
      }
    }),
  );
  return hooks;
}

/** The next invocations that would record the progress of a batch are stopped before they do. */
function deathBeforeProgress(count: number): Disposable {
  let deaths = 0;
  const hooks = new DisposableStack();
  const { stop } = hooks.use(stoppable(() => {}));
  hooks.use(
    fixture.testApp.onTable(({ command, input, when }) => {
      const { Item: item } = input as { Item?: { kind?: unknown; lease?: unknown } };
      if (
        deaths === count ||
        when === 'after' ||
        command !== 'PutItem' ||
        !/campaign-block/.test(JSON.stringify(item)) ||
        /workerId/.test(JSON.stringify(item))
      )
        return;
      deaths++;
      stop();
      throw new Crash('The process died.');
    }),
  );
  return hooks;
}

test('a batch whose worker died is continued within 60 seconds: who was not claimed gets the message, and no recipient two', async () => {
  const { testApp } = fixture;
  const company = await fixture.campaigner(80);
  const people = await fixture.people(company, 90);
  await fixture.faults({ hold_statuses: true });
  const id = await fixture.create(company, { name: 'Spring', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
  using death = deathAt(40);
  await testApp.drain({ retry: 'timed' });
  expect(death.at()).toBeGreaterThan(0);
  const claimed = (await fixture.counted(company, id)).rows.length;
  const atDeath = await acceptedOf(people);
  expect([claimed < people.length, atDeath]).toEqual([true, expect.objectContaining({ twice: 0 })]);

  await testApp.drain({ including: 'delayed', until: death.at() + 60_000, retry: 'timed' });
  expect(testApp.clock.now()).toBeLessThanOrEqual(death.at() + 60_000);
  const continued = await fixture.counted(company, id);
  expect(continued.rows.length).toBe(people.length);
  // the calls that were under way when it died have an outcome that is not known, so they are not made again
  const { once, twice } = await acceptedOf(people);
  expect([once >= people.length - (claimed - atDeath.once), twice]).toEqual([true, 0]);

  await fixture.faults({});
  await fixture.deliverAll();
  await testApp.passTime(200);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', audience_count: people.length });
  expect(await acceptedOf(people)).toEqual({ once, twice: 0 });
});

test('a late `sent` counts for a recipient whose result is not known once three workers died over the batch', async () => {
  const { testApp } = fixture;
  const company = await fixture.campaigner(80);
  const people = await fixture.people(company, 20);
  await fixture.faults({ hold_statuses: true });
  const id = await fixture.create(company, { name: 'Late', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
  {
    using _death = deathAt(20);
    await testApp.drain({ retry: 'timed' });
  }
  const unknown = (await fixture.counted(company, id)).rows.filter(({ status }) => status === messageStatuses.processing);
  expect(unknown.length).toBeGreaterThan(0);
  {
    // two more schedule a look at the claims, and never record what they found
    using _deaths = deathBeforeProgress(2);
    await testApp.drain({ including: 'delayed', until: testApp.clock.now() + 600_000, retry: 'timed' });
  }
  expect((await fixture.counted(company, id)).byRows['ambiguous']).toBe(unknown.length);
  await testApp.passTime(3_600);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'completed' });

  const accepted = (await fixture.ledger()).filter(({ to }) => unknown.some(({ phone }) => phone === to));
  expect(accepted.length).toBeGreaterThan(0);
  for (const { wamid, to, reference = '' } of accepted)
    await testApp.call(statusPost(company, { id: wamid, status: 'sent', recipient_id: to, biz_opaque_callback_data: reference }));
  await testApp.passTime(60);
  const { byRows } = await fixture.counted(company, id);
  expect([byRows['ambiguous'], byRows['sent']]).toEqual([
    unknown.length - accepted.length,
    people.length - unknown.length + accepted.length,
  ]);
});

describe('a campaign that was paused over a crash, until its company had its messages deleted', () => {
  /** Paused after its worker died over the messages, a month ago; the phones of those that had one. */
  async function pausedForAMonth(company: TestCompany, id: number, messages: number): Promise<string[]> {
    const { testApp } = fixture;
    {
      using _death = deathAfter(messages);
      await testApp.drain({ retry: 'timed' });
    }
    expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: false })).status).toBe(200);
    await testApp.drain({ including: 'delayed', until: testApp.clock.now() + 600_000 });
    const phones = (await fixture.counted(company, id)).rows.map(({ phone }) => String(phone));
    testApp.clock.advance(31 * dayMs);
    const body = { settings: { retention_days: 30 } };
    const answer = await testApp.call({ method: 'PUT', path: '/api/v1/company', token: company.tokens.owner, body });
    expect(answer.status, answer.raw).toBe(200);
    await testApp.drain();
    expect((await fixture.counted(company, id)).rows).toEqual([]);
    return phones;
  }

  async function resume(company: TestCompany, id: number): Promise<void> {
    await fixture.faults({});
    expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: true })).status).toBe(200);
    await fixture.testApp.drain({ including: 'delayed', until: fixture.testApp.clock.now() + 600_000 });
  }

  test('sends no recipient a second one when it is resumed, and all others theirs', async () => {
    const company = await fixture.campaigner(6);
    const people = await fixture.people(company, 12);
    await fixture.faults({ hold_statuses: true });
    const id = await fixture.create(company, { name: 'Old', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
    expect(await pausedForAMonth(company, id, 5)).toHaveLength(5);
    expect(await acceptedOf(people)).toEqual({ once: 5, twice: 0 });
    await resume(company, id);
    expect(await acceptedOf(people)).toEqual({ once: people.length, twice: 0 });
  });
});

describe('two workers of one batch at the same time', () => {
  /** A campaign under way with nothing sent, whose calls wait for the gate, and then are throttled. */
  async function throttledAtGate(count: number) {
    const company = await fixture.campaigner();
    const people = await fixture.people(company, count);
    const id = await fixture.create(company, { name: 'Two', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
    await buildAudience(company.id, id);
    await fixture.faults({ throttle: 1, hold_statuses: true });
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    const hook = onFetch(async (address, call) => {
      if (address.startsWith(fixture.provider.url) && address.endsWith('/messages')) {
        calls++;
        await gate.promise;
      }
      return call();
    });
    return {
      people,
      work: () =>
        sendBatch({ companyId: company.id, campaignId: id, runNumber: 1, batch: 0, chainCount: 1 }, 'one message').catch(() => undefined),
      allAreCalled: () => expect.poll(() => calls, { interval: 5, timeout: 20_000 }).toBe(count),
      open: gate.resolve,
      /** An hour later. */
      outcome: async () => {
        hook[Symbol.dispose]();
        await fixture.faults({});
        await fixture.testApp.passTime(3_600);
        await fixture.deliverAll();
        await fixture.testApp.drain();
        return { ...(await acceptedOf(people)), status: (await fixture.details(company, id)).status };
      },
    };
  }

  test('lose no recipient that the provider throttled, when one message is delivered twice', async () => {
    const { people, work, allAreCalled, open, outcome } = await throttledAtGate(8);
    let second: Promise<void> | undefined;
    const slots = fixture.testApp.onTable(async ({ input, when }) => {
      if (second || when !== 'before' || !JSON.stringify(input).includes('#PACE#')) return;
      second = work().finally(open);
      // it ends where it meets the lease; should it claim the recipients, the first goes on beside it
      await Promise.race([second, allAreCalled()]);
    });
    await work();
    slots[Symbol.dispose]();
    open();
    await second;
    expect(await outcome()).toEqual({ once: people.length, twice: 0, status: 'completed' });
  });

  mendedBy(
    'lose none either when the first outlives its lease, and is throttled after the second has looked',
    {
      in: 'functions/campaigns/service/send-to-recipients.ts',
      replace: 'if (message?.status === messageStatuses.processing) claimedElsewhere.set(contactId, resultKnownAt(message));',
      by: '',
    },
    async () => {
      const { people, work, allAreCalled, open, outcome } = await throttledAtGate(8);
      const first = work();
      await allAreCalled();
      fixture.testApp.clock.advance(70_000);
      await work();
      open();
      await first;
      expect(await outcome()).toEqual({ once: people.length, twice: 0, status: 'completed' });
    },
  );
});

async function acceptedOf(people: readonly { phone: string }[]): Promise<{ once: number; twice: number }> {
  const mine = new Set(people.map(({ phone }) => phone));
  const counts = Map.groupBy(
    (await fixture.ledger()).filter(({ to }) => mine.has(to)),
    ({ to }) => to,
  );
  return { once: counts.size, twice: [...counts.values()].filter((each) => each.length > 1).length };
}
