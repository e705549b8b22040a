import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart, type CommittedList } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { leadEntityName, leadItem, storedActivityRow, type Activity, toLead, toLeadItem } from '../contract/stored.ts';
import type { Lead } from '../domain/lead.ts';
import { type ListRange, readList, type ListReader } from './ordered-list.ts';

/** All that belongs to an enquiry lies in its own partition: itself, its tasks, notes, timeline and retry keys. */
export const leadPartition = (companyId: number, leadId: number): string => `${tenant(companyId)}#LD#${leadId}`;

const listPartition = (companyId: number): string => `${tenant(companyId)}#LDL`;

/** Where an enquiry stands in a list: last change first, then the greater id. */
export interface LeadPosition {
  updatedAt: number;
  id: number;
}
export const leadListKey = ({ updatedAt, id }: LeadPosition): string => `${sortable(updatedAt)}#${sortable(id)}`;

/** The part of a list below a position. */
export const listRangeBelow = (pk: string, after: LeadPosition | undefined): ListRange => ({
  pk,
  low: ' ',
  high: after ? leadListKey({ updatedAt: after.updatedAt, id: after.id - 1 }) : '~',
  descending: true,
});

export const leadEntity = entity({
  name: leadEntityName,
  purpose: 'An enquiry with the sums of its tasks and notes',
  attributes: leadItem,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: leadPartition(companyId, id), sk: 'LEAD' }),
  idOf: ({ c, i }) => ({ companyId: c, id: i }),
  indexedBy: ['c', 'i', 'up'],
  indexes: ({ c, i, up }) => ({ list: { pk: listPartition(c), sk: leadListKey({ updatedAt: up, id: i }) } }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'LEAD' },
});

const leadKeyEntity = entity({
  name: 'lead-key',
  purpose: 'Which enquiry a creation_key made, and from what; kept for ever',
  attributes: z.object({ companyId: z.int(), key: z.string(), leadId: z.int(), fingerprint: z.string() }),
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: `${tenant(companyId)}#LDK#${key}`, sk: 'KEY' }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  example: { pk: 'C#<company>#LDK#<creation key>', sk: 'KEY' },
});
export type LeadKey = ItemOf<typeof leadKeyEntity>;

const contactPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#LDC#${contactId}`;

const leadOfContactEntity = entity({
  name: 'lead-of-contact',
  purpose: 'The enquiries of a contact: their ids',
  attributes: z.object({ companyId: z.int(), contactId: z.int(), leadId: z.int() }),
  key: ({ companyId, contactId, leadId }: { companyId: number; contactId: number; leadId: number }) => ({
    pk: contactPartition(companyId, contactId),
    sk: sortable(leadId),
  }),
  idOf: ({ companyId, contactId, leadId }) => ({ companyId, contactId, leadId }),
  example: { pk: 'C#<company>#LDC#<contact>', sk: '<lead, 16 digits>' },
});

export const activityEntity = entity({
  name: 'activity',
  purpose: "An entry of an enquiry's timeline, written out by the change stream",
  attributes: storedActivityRow,
  key: ({ companyId, leadId, k }: { companyId: number; leadId: number; k: string }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `A#${k}`,
  }),
  idOf: ({ companyId, leadId, entry }) => ({ companyId, leadId, k: entry.k }),
  example: { pk: 'C#<company>#LD#<lead>', sk: 'A#<time>#<record>#<version>' },
});

/** `consistent` where the answer decides about a write or follows one of the caller's own. */
export const getStoredLead = pattern(
  { question: 'an enquiry by its id', entity: 'lead', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  async (companyId: number, id: number, options: { consistent?: boolean } = {}): Promise<Lead | undefined> => {
    const item = await leadEntity.get({ companyId, id }, options);
    return item && toLead(item);
  },
);

export const getStoredLeads = pattern(
  { question: 'several enquiries by id', entity: 'lead', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, ids: readonly number[]): Promise<Lead[]> =>
    (await leadEntity.getMany(ids.map((id) => ({ companyId, id })))).map(toLead),
);

export const getLeadKey = pattern(
  { question: 'which enquiry a creation key made', entity: 'lead-key', by: 'GetItem', units: '1 RRU' },
  (companyId: number, key: string): Promise<LeadKey | undefined> => leadKeyEntity.get({ companyId, key }, { consistent: true }),
);

export const createStoredLead = pattern(
  { question: 'a new enquiry, unless its creation key was used', entity: 'lead', by: 'TransactWriteItems', units: '7 WRU' },
  async (lead: Lead, fingerprint: string): Promise<'done' | 'taken'> => {
    const { companyId, id: leadId, contactId, creationKey: key } = lead;
    const { done } = await commit([
      leadEntity.putting(toLeadItem(lead), missing()),
      leadKeyEntity.putting({ companyId, key, leadId, fingerprint }, missing()),
      leadOfContactEntity.putting({ companyId, contactId, leadId }, missing()),
    ]);
    return done ? 'done' : 'taken';
  },
);

/** Writes an enquiry if nobody wrote it since it was read; else the one that stands. */
export const updateStoredLead = pattern(
  { question: 'change an enquiry', entity: 'lead', by: 'PutItem', units: '3 WRU: itself, and its place in the list twice' },
  async (lead: Lead): Promise<{ done: true } | { done: false; current: Lead | undefined }> => {
    const written = await leadEntity.put(toLeadItem(lead), equals('rev', lead.rev - 1));
    return written.done ? { done: true } : { done: false, current: written.current && toLead(written.current) };
  },
);

/** Parts of transactions of tasks and notes. */
export const updateLeadPart = (lead: Lead): TransactionPart => leadEntity.putting(toLeadItem(lead), equals('rev', lead.rev - 1));
export const checkLeadPart = (lead: Lead): TransactionPart =>
  leadEntity.checking({ companyId: lead.companyId, id: lead.id }, equals('rev', lead.rev));

/** Which of the parts were refused. */
export const refusedParts = (committed: CommittedList): number[] => (committed.done ? [] : committed.refused.map(({ index }) => index));

/** The list of all enquiries, last change first, below a position. */
export const listLeadsByChange = pattern(
  { question: 'enquiries by last change', entity: 'lead', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, after: LeadPosition | undefined): Promise<ListReader<Lead>> =>
    Promise.resolve(readList(leadEntity, listRangeBelow(listPartition(companyId), after), toLead)),
);

export const listLeadIdsOfContact = pattern(
  { question: 'which enquiries a contact has', entity: 'lead-of-contact', by: 'Query', units: '1 RRU for about 40' },
  async (companyId: number, contactId: number): Promise<number[]> => {
    const ids: number[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await leadOfContactEntity.query({ pk: contactPartition(companyId, contactId), after, consistent: true });
      ids.push(...page.items.map(({ leadId }) => leadId));
      after = page.last;
    } while (after);
    return ids;
  },
);

export const listActivities = pattern(
  { question: 'the timeline of an enquiry', entity: 'activity', by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number, leadId: number): Promise<Activity[]> => {
    const entries: Activity[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await activityEntity.query({ pk: leadPartition(companyId, leadId), begins: 'A#', descending: true, after });
      entries.push(...page.items.map(({ entry }) => entry));
      after = page.last;
    } while (after);
    return entries;
  },
);
