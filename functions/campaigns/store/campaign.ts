import * as z from 'zod';
import { all, differs, equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import type { StoredTokenCeiling } from '../../spend/contract/token-ceiling.ts';
import { campaignEntityName, storedCampaign, type StoredCampaign } from '../contract/stored.ts';

/** A company's campaigns lie in one partition by id, which is the order of creation. */
export const campaignEntity = entity({
  name: campaignEntityName,
  purpose: 'A campaign: what is sent to whom, and where its work stands',
  attributes: storedCampaign,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: partition(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'status', 'sendTime', 'pauseReason', 'resumeAt', 'updatedAt'],
  indexes: (campaign) => ({ due: dueKeysOf(campaign) }),
  personalData: 'name and values of a campaign to one contact',
  example: { pk: 'C#<company>#CAMPAIGN', sk: '<id, 16 digits>' },
});

const partition = (companyId: number): string => `${tenant(companyId)}#CAMPAIGN`;

type DuePlace = Pick<StoredCampaign, 'companyId' | 'id' | 'status' | 'sendTime' | 'pauseReason' | 'resumeAt' | 'updatedAt'>;

/** A scheduled campaign is due at its time; one that waits for its company since it was paused; one of a restricted number, or at a ceiling, at its end. */
const dueTimeOf = ({ status, sendTime, pauseReason, resumeAt, updatedAt }: DuePlace): number | undefined => {
  if (status === 'scheduled') return sendTime;
  if (status !== 'paused') return undefined;
  if (pauseReason === 'company_suspended') return updatedAt;
  return pauseReason === 'number_restricted' || pauseReason === 'spend_limit' ? resumeAt : undefined;
};

const dueKeysOf = (campaign: DuePlace) => {
  const dueAt = dueTimeOf(campaign);
  return dueAt === undefined ? undefined : dueKeys(dueAt, campaignEntityName, `${campaign.companyId}:${campaign.id}`);
};

/** The Idempotency-Key of a create, kept as long as its campaign (G19). */
const campaignKeyEntity = entity({
  name: 'campaign-key',
  purpose: 'Which campaign an Idempotency-Key made, and from what',
  attributes: z.object({ companyId: z.int(), hash: z.string(), fingerprint: z.string(), campaignId: z.int() }),
  key: ({ companyId, hash }: { companyId: number; hash: string }) => ({ pk: `${tenant(companyId)}#CAMPAIGN_KEY#${hash}`, sk: 'KEY' }),
  idOf: ({ companyId, hash }) => ({ companyId, hash }),
  example: { pk: 'C#<company>#CAMPAIGN_KEY#<sha256>', sk: 'KEY' },
});

export interface CampaignKey {
  hash: string;
  fingerprint: string;
}

export type AddedCampaign =
  | { outcome: 'done' }
  | { outcome: 'held'; fingerprint: string; campaignId: number }
  | { outcome: 'refused' }
  | { outcome: 'unpaid'; current: StoredTokenCeiling | undefined };

/**
 * A new campaign, with what goes into the same transaction. `held`: the key made another one before. `refused`: one of `more` holds no
 * longer (the template is not approved any more). `unpaid`: the ceiling that pays for it does not allow it.
 */
export const addCampaign = pattern(
  { question: 'a new campaign that uses a template', entity: campaignEntityName, by: 'TransactWriteItems', units: '6 to 10 WRU' },
  async (
    campaign: StoredCampaign,
    key: CampaignKey | undefined,
    more: readonly TransactionPart[],
    payment?: TransactionPart<StoredTokenCeiling>,
  ): Promise<AddedCampaign> => {
    const { companyId, id: campaignId } = campaign;
    const committed = await commit({
      campaign: campaignEntity.putting(campaign, missing()),
      more,
      payment,
      key: key && campaignKeyEntity.putting({ companyId, campaignId, ...key }, missing()),
    });
    if (committed.done) return { outcome: 'done' };
    const { key: heldKey, payment: unpaid } = committed.refused;
    const held = heldKey?.current;
    if (held) return { outcome: 'held', fingerprint: held.fingerprint, campaignId: held.campaignId };
    return unpaid && !committed.refused.more ? { outcome: 'unpaid', current: unpaid.current } : { outcome: 'refused' };
  },
);

export const getCampaignKey = pattern(
  { question: 'which campaign a key made', entity: 'campaign-key', by: 'GetItem', units: '1 RRU' },
  (companyId: number, hash: string) => campaignKeyEntity.get({ companyId, hash }, { consistent: true }),
);

/** Consistent by default; an eventually consistent read is at most a moment old and costs half. */
export const getStoredCampaign = pattern(
  { question: 'a campaign by its id', entity: campaignEntityName, by: 'GetItem', units: '1 RRU, 0.5 eventually consistent' },
  (companyId: number, id: number, { consistent = true } = {}): Promise<StoredCampaign | undefined> =>
    campaignEntity.get({ companyId, id }, { consistent }),
);

/** Changes a campaign as it was seen, with `more` in the same transaction. Refused with the campaign as it stands. */
export const changeCampaign = pattern(
  {
    question: 'a campaign changes, if it is unchanged since it was read',
    entity: campaignEntityName,
    by: 'TransactWriteItems',
    units: '1 to 6 WRU',
  },
  async (
    seen: StoredCampaign,
    change: Partial<StoredCampaign>,
    at: number,
    more: readonly TransactionPart[] = [],
  ): Promise<Written<StoredCampaign>> => {
    if (more.length === 0) return campaignEntity.put(changed(seen, change, at), asSeen(seen));
    return commitChange(seen, change, at, more);
  },
);

/**
 * A retry starts a campaign again. Always a transaction, whose repetition by the SDK is not refused when its answer was lost and another
 * request has changed the campaign since: what is added to `retried` is added once.
 */
export const restartCampaign = pattern(
  {
    question: 'a retry starts a campaign again, if it is unchanged since it was read',
    entity: campaignEntityName,
    by: 'TransactWriteItems',
    units: '2 to 6 WRU',
  },
  (seen: StoredCampaign, change: Partial<StoredCampaign>, at: number, more: readonly TransactionPart[]): Promise<Written<StoredCampaign>> =>
    commitChange(seen, change, at, more),
);

const changed = (seen: StoredCampaign, change: Partial<StoredCampaign>, at: number): StoredCampaign => ({
  ...seen,
  ...change,
  rev: seen.rev + 1,
  updatedAt: at,
});

const asSeen = ({ rev }: StoredCampaign) => all(equals('rev', rev), differs('status', 'deleted'));

async function commitChange(
  seen: StoredCampaign,
  change: Partial<StoredCampaign>,
  at: number,
  more: readonly TransactionPart[],
): Promise<Written<StoredCampaign>> {
  const next = changed(seen, change, at);
  const committed = await commit({ campaign: campaignEntity.putting(next, asSeen(seen)), more });
  return committed.done ? { done: true, item: next } : { done: false, current: committed.refused.campaign?.current };
}

export interface CampaignQuery {
  beforeId: number | undefined;
  /** How many are wanted, if that is known: read at a time. */
  count: number | undefined;
}

/** Newest first. */
export const campaignsBefore = pattern(
  {
    question: 'campaigns of a company, newest first',
    entity: campaignEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 4 campaigns)',
  },
  (companyId: number, { beforeId, count }: CampaignQuery): AsyncGenerator<StoredCampaign> => {
    const between = [sortable(0), beforeId === undefined ? '~' : sortable(beforeId - 1)] as const;
    return campaignEntity.items({ pk: partition(companyId), between, descending: true, limit: Math.min(500, count ?? 500) });
  },
);
