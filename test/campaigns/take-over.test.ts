import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimWindow } from '../../functions/messaging/domain/pace.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { Crash } from '../support/crash-points.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';

let stage: CampaignFixture;
beforeAll(async () => {
  stage = await startFixture();
});
afterAll(() => stage.stop());

/** The invocation whose n-th message the provider takes is stopped then, as by a crash: it makes no other call, none to its queue either. */
function deathAt(nth: number): Disposable & { at: () => number } {
  const { world, provider } = stage;
  const lives = new AsyncLocalStorage<{ isDead: boolean }>();
  let [calls, diedAt] = [0, 0];
  const refuse = (): void => {
    if (lives.getStore()?.isDead) throw new Crash('The process died.');
  };
  const hooks = new DisposableStack();
  hooks.use(world.onTable(refuse));
  hooks.use(world.onQueue(refuse));
  hooks.use(
    onFetch(async (address, call) => {
      refuse();
      const answer = await call();
      const life = lives.getStore();
      if (life && address.startsWith(provider.url) && address.endsWith('/messages') && ++calls === nth) {
        life.isDead = true;
        diedAt = world.clock.now();
      }
      refuse();
      return answer;
    }),
  );
  hooks.use(
    world.aroundInvocations((work) => {
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
  return { at: () => diedAt, [Symbol.dispose]: () => hooks.dispose() };
}

test('a batch whose worker died is continued within 60 seconds: who was not claimed gets the message, and no recipient two', async () => {
  const { world } = stage;
  const rate = 80;
  const company = await stage.campaigner(rate);
  const people = await stage.people(company, 90);
  await stage.faults({ hold_statuses: true });
  const id = await stage.create(company, { name: 'Spring', template_id: stage.templateId(company, 'sale'), parammatch: { 1: 'name' } });
  using death = deathAt(40);
  await world.drain({ retry: 'timed' });
  expect(death.at()).toBeGreaterThan(0);
  const claimed = (await stage.counted(company, id)).rows.length;
  expect([claimed < people.length, await acceptedOf(people)]).toEqual([true, expect.objectContaining({ twice: 0 })]);

  await world.drain({ including: 'delayed', until: death.at() + 60_000, retry: 'timed' });
  expect(world.clock.now()).toBeLessThanOrEqual(death.at() + 60_000);
  const continued = await stage.counted(company, id);
  expect(continued.rows.length).toBe(people.length);
  // the calls that were under way when it died have an outcome that is not known, so they are not made again
  const { once, twice } = await acceptedOf(people);
  expect([once >= people.length - claimWindow(rate), twice]).toEqual([true, 0]);

  await stage.faults({});
  await stage.deliverAll();
  await world.passTime(200);
  expect(await stage.details(company, id)).toMatchObject({ status: 'completed', audience_count: people.length });
  expect(await acceptedOf(people)).toEqual({ once, twice: 0 });
});

async function acceptedOf(people: readonly { phone: string }[]): Promise<{ once: number; twice: number }> {
  const mine = new Set(people.map(({ phone }) => phone));
  const counts = Map.groupBy(
    (await stage.ledger()).filter(({ to }) => mine.has(to)),
    ({ to }) => to,
  );
  return { once: counts.size, twice: [...counts.values()].filter((each) => each.length > 1).length };
}
