import { afterAll, beforeAll, expect, test } from 'vitest';
import { registry } from '../../shared/table/entity.ts';
import { startProviderStub, type ProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { dumpOf, type Known, knownCompany, tokenCall, tracesIn } from './erasure-fixture.ts';

let world: TestApp;
let provider: ProviderStub;
let known: Known;
beforeAll(async () => {
  provider = await startProviderStub();
  world = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url, SWITCHBOARD_LOCAL: '1', WEBHOOK_CACHE_MS: '0' } });
  await world.tick();
  known = await knownCompany(world, provider);
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
});

const placesWithTraces = async (): Promise<string[]> => [
  ...new Set((await dumpOf(world)).filter(({ text }) => tracesIn(text).length > 0).map(({ place }) => place)),
];

test('W11: whatever holds a trace of a contact says so in its entity, and an erasure ends it', async () => {
  const places = await placesWithTraces();
  const kinds = places.filter((place) => place.startsWith('table ')).map((place) => place.slice(6));
  console.log(JSON.stringify(world.logs.filter((l) => /fail|rror/i.test(JSON.stringify(l))), null, 1));
  const declared = new Map(registry.map(({ name, personalData, endsBy }) => [name, personalData !== undefined && endsBy === undefined]));
  expect(kinds.filter((kind) => !declared.get(kind))).toEqual([]);
});

test('W11: after an erasure no trace of the contact is in the table, the buckets, the queues or the logs', async () => {
  const others = async () => (await dumpOf(world)).filter(({ place, text }) => /Bo Other/.test(text) && !place.startsWith('logs')).length;
  const before = await others();
  expect((await tokenCall(world, known, 'POST', `/contacts/${known.contactId}/erase`)).status).toBe(202);
  await world.drain();
  expect(
    (await dumpOf(world)).filter(({ text }) => tracesIn(text).length > 0).map(({ place, text }) => `${place}: ${text.slice(0, 300)}`),
  ).toEqual([]);
  expect(await others()).toBeLessThanOrEqual(before);
});
