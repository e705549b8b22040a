import { scopes } from '../../shared/contract/route.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../functions/webhooks/service/endpoints.ts';
import { putDelivery } from '../../functions/webhooks/store/delivery.ts';
import { endpointEntity } from '../../functions/webhooks/store/endpoint.ts';
import { ulid } from '../../shared/runtime/ids.ts';
import { unwrap } from '../support/company.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

/** Outgoing webhooks. They subscribe to what no other example does, and none of them has an address that could be called. */
const url = 'https://hooks.example.com/in';
/** No one answers there, unless a test puts a receiver of its own in place of it. */
export const listener = { url: 'http://127.0.0.1:9/' };
const events = ['campaign.paused'];

/** A company has ten endpoints at most. */
const freeQuota = async ({ company }: ContractFixture): Promise<void> => {
  const endpoints = await listWebhooks(company.id);
  if (endpoints.length >= 8) for (const { id } of endpoints) await deleteWebhook(company.id, id);
};

const endpointId = async (fixture: ContractFixture): Promise<number> => {
  await freeQuota(fixture);
  const { id } = unwrap(await createWebhook({ companyId: fixture.company.id, scopes }, { url, events }, ulid(Date.now())));
  await endpointEntity.change({ companyId: fixture.company.id, id }, { set: { url: listener.url } });
  return id;
};

const byId = async (fixture: ContractFixture): Promise<{ params: { id: number } }> => ({ params: { id: await endpointId(fixture) } });

const byDelivery = async (fixture: ContractFixture): Promise<{ params: { id: number; delivery_id: string } }> => {
  const id = await endpointId(fixture);
  const at = Date.now();
  const eventId = `evt_${ulid(at)}`;
  await putDelivery({
    companyId: fixture.company.id,
    endpointId: id,
    eventId,
    event: 'message.received',
    status: 'delivered',
    url: listener.url,
    body: '{}',
    response: { status: 200, body: 'ok' },
    tries: [{ at, ms: 12, status: 200 }],
    createdAt: at,
    updatedAt: at,
  });
  return { params: { id, delivery_id: eventId } };
};

export const webhookExamples: Readonly<Record<string, (fixture: ContractFixture) => Promise<Example>>> = {
  listWebhooks: async (fixture) => {
    await endpointId(fixture);
    return {};
  },
  createWebhook: async (fixture) => {
    await freeQuota(fixture);
    return { body: { url, events } };
  },
  getWebhook: byId,
  updateWebhook: async (fixture) => ({ ...(await byId(fixture)), body: { events: ['cart.*'] } }),
  deleteWebhook: byId,
  rotateWebhookSecret: byId,
  listDeliveries: async (fixture) => ({ params: { id: (await byDelivery(fixture)).params.id }, query: { limit: 2 } }),
  listAllDeliveries: async (fixture) => {
    // as many as a page has: the next call answers as many
    for (let nth = 0; nth < 2; nth++) await byDelivery(fixture);
    return { query: { limit: 2 } };
  },
  replayDeliveries: async (fixture) => {
    const { id } = (await byDelivery(fixture)).params;
    return { body: { since: '2026-01-01T00:00:00Z', webhook_id: id } };
  },
  resendDelivery: byDelivery,
  testWebhook: byId,
};
