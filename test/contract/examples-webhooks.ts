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

const endpointId = async (stage: ContractFixture): Promise<number> => {
  await freeQuota(stage);
  const { id } = unwrap(await createWebhook(stage.company.id, { url, events }, ulid(Date.now())));
  await endpointEntity.change({ companyId: stage.company.id, id }, { set: { url: listener.url } });
  return id;
};

const byId = async (stage: ContractFixture): Promise<{ params: { id: number } }> => ({ params: { id: await endpointId(stage) } });

const byDelivery = async (stage: ContractFixture): Promise<{ params: { id: number; delivery_id: string } }> => {
  const id = await endpointId(stage);
  const at = Date.now();
  const eventId = `evt_${ulid(at)}`;
  await putDelivery({
    companyId: stage.company.id,
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

export const webhookExamples: Readonly<Record<string, (stage: ContractFixture) => Promise<Example>>> = {
  listWebhooks: async (stage) => {
    await endpointId(stage);
    return {};
  },
  createWebhook: async (stage) => {
    await freeQuota(stage);
    return { body: { url, events } };
  },
  getWebhook: byId,
  updateWebhook: async (stage) => ({ ...(await byId(stage)), body: { events: ['cart.*'] } }),
  deleteWebhook: byId,
  rotateWebhookSecret: byId,
  listDeliveries: async (stage) => ({ params: { id: (await byDelivery(stage)).params.id }, query: { limit: 2 } }),
  listAllDeliveries: async (stage) => {
    await byDelivery(stage);
    return { query: { limit: 2 } };
  },
  replayDeliveries: async (stage) => {
    const { id } = (await byDelivery(stage)).params;
    return { body: { since: '2026-01-01T00:00:00Z', webhook_id: id } };
  },
  resendDelivery: byDelivery,
  testWebhook: byId,
};
