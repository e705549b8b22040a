import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { readGolden } from '../support/golden.ts';
import { findStuckWork } from '../support/liveness.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

const items = readGolden('0.2', 'items');

/** An item of a kind, of a company that has nothing else. */
const putItem = async (kind: string, companyId: number, more: Record<string, unknown>): Promise<void> => {
  const item = { ...items[kind]?.[0], ...more, companyId };
  const Item = { ...item, pk: String(item['pk' as keyof typeof item]).replace(/^C#\d+/, `C#${companyId}`) };
  await dynamo.send(new PutCommand({ TableName: tableName(), Item }));
};

test('the oracle of the fault runs names work that nothing will end, and no work that goes on or waits for someone', async () => {
  const now = testApp.clock.now();
  const hour = 3_600_000;
  const sent = { inbound: false, campaign: undefined };
  await putItem('campaign', 501, { id: 1, status: 'sending', updatedAt: now - hour });
  await putItem('campaign', 502, { id: 1, status: 'sending', updatedAt: now - 1_000 });
  await putItem('campaign', 503, { id: 1, status: 'paused', updatedAt: now - hour });
  await putItem('campaign', 504, { id: 1, status: 'completed', updatedAt: now - hour });
  // of the first batch one recipient is left, of the second one that was erased
  const open = { campaignId: 1, done: false, skipped: [] };
  await putItem('campaign-block', 504, { ...open, batch: 0, contactIds: [90_001, 90_002] });
  await putItem('contact', 504, { c: 504, i: 90_001 });
  await putItem('campaign-block', 504, { ...open, batch: 1, sk: 'B#0000000000000001', contactIds: [90_003] });
  await putItem('campaign-block', 502, { campaignId: 1, batch: 0, done: false });
  await putItem('message', 505, { ...sent, id: 7, status: messageStatuses.sending, updatedAt: now - hour });
  await putItem('message', 506, { ...sent, id: 8, status: messageStatuses.scheduled, dueAt: now + hour, updatedAt: now - hour });
  await putItem('message', 507, { ...sent, id: 9, status: messageStatuses.scheduled, dueAt: now - hour, updatedAt: now - 2 * hour });
  await putItem('message', 508, { ...sent, id: 10, status: messageStatuses.sent, updatedAt: now - hour });
  await putItem('verification-request', 509, { id: 'late', status: 'pending', expiresAt: now - hour });
  await putItem('verification-request', 510, { id: 'open', status: 'pending', expiresAt: now + hour });
  expect((await findStuckWork(testApp)).map((each) => each.replace(/:\d+:(?=\d)/, ':').replace(/ in status.*/, '')).toSorted()).toEqual([
    'batch 0 of the completed campaign 504:1 has 1 recipients left',
    'campaign 501:1 stays sending',
    'message 505:7 stays',
    'message 507:9 stays',
    'verification request 509:late is pending after its time',
  ]);
});
