import {
  campaignEntityName,
  storedCampaign,
  storedRecipientBatch,
  recipientBatchEntityName,
} from '../../functions/campaigns/contract/stored.ts';
import { delayedBatchEntity } from '../../functions/change-stream/store/delayed-batch.ts';
import { contactKind } from '../../functions/contacts/contract/stored.ts';
import { messageEntityName, messageStatuses, storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { requestEntityName, storedRequest } from '../../functions/verification/contract/stored.ts';
import type { TestApp } from './test-app.ts';

/** Longer than any sweep, lease or delay waits, but for a delay of a queue. */
const patienceMs = 30 * 60_000;

/**
 * What is under way when all is quiet, and nothing will change any more: no queue has a message for it, and no time is stored at which it is looked
 * at again. What is paused or suspended waits for someone, and is left out.
 */
export const findStuckWork = async (testApp: TestApp): Promise<string[]> => {
  const items = await testApp.dump();
  const now = testApp.clock.now();
  const queues = testApp.contexts.flatMap(({ functions }) => functions.flatMap((each) => (each.trigger === 'queue' ? [each.queue] : [])));
  const waiting = JSON.stringify(queues.map((queue) => [testApp.queued(queue), testApp.deadLettersOf(queue)]));
  const suspended = new Set(
    items.flatMap(({ kind, status, companyId }) => (kind === 'company' && status === 'suspended' ? [companyId] : [])),
  );
  const isHeld = (companyId: number): boolean => suspended.has(companyId);
  const ofKind = (wanted: string): Record<string, unknown>[] => items.filter(({ kind }) => kind === wanted);

  const campaigns = ofKind(campaignEntityName).map((item) => ({ ...storedCampaign.parse(item), due: item['due_sk'] }));
  const runningOf = new Map(campaigns.map((each) => [`${each.companyId}:${each.id}`, each.status]));
  const isOver = (message: StoredMessage): boolean =>
    message.campaign !== undefined &&
    ['paused', 'deleted', 'failed'].includes(runningOf.get(`${message.companyId}:${message.campaign.id}`) ?? 'deleted');
  const isQueued = (...reference: readonly string[]): boolean => reference.every((each) => waiting.includes(each));
  const stuckCampaigns = campaigns
    .filter(
      ({ status, companyId, updatedAt }) =>
        ['queued', 'constructing', 'sending'].includes(status) && !isHeld(companyId) && updatedAt < now - patienceMs,
    )
    .filter(({ id, companyId, due }) => due === undefined && !isQueued(`"company_id":${companyId},"campaign_id":${id}`))
    .map(({ id, companyId, status }) => `campaign ${companyId}:${id} stays ${status}`);

  const messages = ofKind(messageEntityName).map((item) => ({ ...storedMessage.parse(item), due: item['due_sk'] }));
  const stuckMessages = messages
    .filter(({ inbound, updatedAt, companyId }) => !inbound && updatedAt < now - patienceMs && !isHeld(companyId))
    .filter(({ status, dueAt = 0 }) =>
      status === messageStatuses.scheduled
        ? dueAt < now - patienceMs
        : status === messageStatuses.sending || status === messageStatuses.processing,
    )
    .filter((message) => !isOver(message) && !isQueued(String(message.id)) && !isQueued(`"campaign_id":${message.campaign?.id ?? 'none'},`))
    .map(({ companyId, contactId, id, status }) => `message ${companyId}:${contactId}:${id} stays in status ${status}`);

  const recipientOf = (companyId: number, campaignId: number, contactId: number): string => `${companyId}:${campaignId}:${contactId}`;
  const reached = new Set(
    messages.flatMap(({ companyId, campaign, contactId }) => (campaign ? [recipientOf(companyId, campaign.id, contactId)] : [])),
  );
  const live = ofKind(contactKind.name)
    .map((item) => contactKind.parse(item))
    .filter(({ deletedAt, mergedInto }) => deletedAt === undefined && mergedInto === undefined);
  const contacts = new Set(live.map(({ companyId, id }) => `${companyId}:${id}`));
  // a retry that ended before it moved a message leaves a batch open in which every recipient has its result
  const stuckBatches = ofKind(recipientBatchEntityName)
    .map((item) => storedRecipientBatch.parse(item))
    .filter(({ companyId, campaignId, done }) => !done && !isHeld(companyId) && runningOf.get(`${companyId}:${campaignId}`) === 'completed')
    .filter(({ campaignId }) => !isQueued(`"campaign_id":${campaignId},`))
    .flatMap(({ companyId, campaignId, batch, contactIds, skipped }) => {
      const left = new Set(skipped.map(([contactId]) => contactId));
      const open = contactIds.filter(
        (id) => !left.has(id) && contacts.has(`${companyId}:${id}`) && !reached.has(recipientOf(companyId, campaignId, id)),
      );
      return open.length > 0
        ? [`batch ${batch} of the completed campaign ${companyId}:${campaignId} has ${open.length} recipients left`]
        : [];
    });

  const stuckCodes = ofKind(requestEntityName)
    .map((item) => storedRequest.parse(item))
    .filter(({ status, expiresAt, companyId }) => status === 'pending' && expiresAt < now - patienceMs && !isHeld(companyId))
    .filter(({ id }) => !isQueued(id))
    .map(({ companyId, id }) => `verification request ${companyId}:${id} is pending after its time`);

  const waitingChanges = ofKind(delayedBatchEntity.name)
    .map((item) => delayedBatchEntity.parse(item))
    .filter(({ at }) => at < now - patienceMs)
    .map(({ companyId, first }) => `changes of company ${companyId} wait from ${first} on`);

  return [...stuckCampaigns, ...stuckMessages, ...stuckBatches, ...stuckCodes, ...waitingChanges];
};
