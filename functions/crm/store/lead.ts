import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { storedActivityRow } from '../contract/stored.ts';
import { type Lead, leadEntityName, type LeadItem, leadItem, toLead, toLeadItem } from '../contract/stored-lead.ts';
import { type ListRange, type ListReader, readList } from './ordered-list.ts';
import type { Activity } from '../contract/stored-activity.ts';

/** The partition of a lead: the lead, its tasks, notes, timeline and retry keys; see docs/decisions/crm-lead-partition.md. */
export const leadPartition = (companyId: number, leadId: number): string => `${tenant(companyId)}#LD#${leadId}`;

const listPartition = (companyId: number): string => `${tenant(companyId)}#LDL`;

/** The position of a lead in lists: latest change first, then the greater id. */
export interface LeadPosition {
  updatedAt: number;
  id: number;
}
export const leadListKey = ({ updatedAt, id }: LeadPosition): string => `${sortable(updatedAt)}#${sortable(id)}`;

/** The part of a list after a position. */
export const listRangeBelow = (pk: string, after: LeadPosition | undefined): ListRange => ({
  pk,
  low: ' ',
  high: after ? leadListKey({ updatedAt: after.updatedAt, id: after.id - 1 }) : '~',
  descending: true,
});

export const leadEntity = entity({
  name: leadEntityName,
  purpose: 'A lead with its pending tasks and its number of notes',
  attributes: leadItem,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: leadPartition(companyId, id), sk: 'LEAD' }),
  idOf: ({ c, i }) => ({ companyId: c, id: i }),
  indexedBy: ['c', 'i', 'up', 'de'],
  indexes: ({ c, i, up, de }) => ({
    list: de === undefined ? { pk: listPartition(c), sk: leadListKey({ updatedAt: up, id: i }) } : undefined,
  }),
  personalData: 'texts about a contact, its name and phone',
  example: { pk: 'C#<company>#LD#<lead>', sk: 'LEAD' },
});

const leadKeyEntity = entity({
  name: 'lead-key',
  purpose: 'The lead that a creation_key created, and the fingerprint of its body; never deleted',
  attributes: z.object({ companyId: z.int(), key: z.string(), leadId: z.int(), fingerprint: z.string() }),
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: `${tenant(companyId)}#LDK#${key}`, sk: 'KEY' }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  example: { pk: 'C#<company>#LDK#<creation key>', sk: 'KEY' },
});
export type LeadKey = ItemOf<typeof leadKeyEntity>;

const contactPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#LDC#${contactId}`;

const leadOfContactEntity = entity({
  name: 'lead-of-contact',
  purpose: 'The ids of the leads of a contact',
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
  purpose: "An entry of a lead's timeline, a projection of the change stream",
  attributes: storedActivityRow,
  key: ({ companyId, leadId, k }: { companyId: number; leadId: number; k: string }) => ({
    pk: leadPartition(companyId, leadId),
    sk: `A#${k}`,
  }),
  idOf: ({ companyId, leadId, entry }) => ({ companyId, leadId, k: entry.k }),
  personalData: 'texts about a contact',
  example: { pk: 'C#<company>#LD#<lead>', sk: 'A#<time>#<record>#<version>' },
});

/** `consistent` before a write, or after a write of the same caller. A deleted lead is as if it were not there, unless `orDeleted`. */
export const getStoredLead = pattern(
  { question: 'a lead by its id', entity: 'lead', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  async (
    companyId: number,
    id: number,
    { orDeleted = false, ...options }: { consistent?: boolean; orDeleted?: boolean } = {},
  ): Promise<Lead | undefined> => {
    const item = await leadEntity.get({ companyId, id }, options);
    return item && (orDeleted || item.de === undefined) ? toLead(item) : undefined;
  },
);

export const getStoredLeads = pattern(
  { question: 'several leads by id', entity: 'lead', by: 'BatchGetItem', units: '0.5 RRU each' },
  async (companyId: number, ids: readonly number[], { deleted = false } = {}): Promise<Lead[]> =>
    (await leadEntity.getMany(ids.map((id) => ({ companyId, id }))))
      .map(toLead)
      .filter(({ deletedAt }) => (deletedAt !== undefined) === deleted),
);

export const getLeadKey = pattern(
  { question: 'the lead of a creation key', entity: 'lead-key', by: 'GetItem', units: '1 RRU' },
  (companyId: number, key: string): Promise<LeadKey | undefined> => leadKeyEntity.get({ companyId, key }, { consistent: true }),
);

export const createStoredLead = pattern(
  { question: 'create a lead, unless its creation key was used', entity: 'lead', by: 'TransactWriteItems', units: '7 WRU' },
  async (lead: Lead, fingerprint: string): Promise<'done' | 'taken'> => {
    const { companyId, id: leadId, contactId, creationKey: key } = lead;
    const { done } = await commit({
      lead: leadEntity.putting(toLeadItem(lead), missing()),
      key: leadKeyEntity.putting({ companyId, key, leadId, fingerprint }, missing()),
      ofContact: leadOfContactEntity.putting({ companyId, contactId, leadId }, missing()),
    });
    return done ? 'done' : 'taken';
  },
);

/** Writes a lead that was not changed since it was read; else returns the current one. */
export const updateStoredLead = pattern(
  { question: 'change a lead', entity: 'lead', by: 'PutItem', units: '3 WRU: the item, and the list index twice' },
  async (lead: Lead): Promise<{ done: true } | { done: false; current: Lead | undefined }> => {
    const written = await leadEntity.put(toLeadItem(lead), equals('rev', lead.rev - 1));
    const { current } = written.done ? {} : written;
    return written.done ? { done: true } : { done: false, current: current && current.de === undefined ? toLead(current) : undefined };
  },
);

/** Parts of the transactions that change tasks and notes. */
export const updateLeadPart = (lead: Lead): TransactionPart<LeadItem> => leadEntity.putting(toLeadItem(lead), equals('rev', lead.rev - 1));
export const checkLeadPart = (lead: Lead): TransactionPart<LeadItem> =>
  leadEntity.checking({ companyId: lead.companyId, id: lead.id }, equals('rev', lead.rev));

/** All leads, latest change first, after a position. */
export const listLeadsByChange = pattern(
  { question: 'leads by last change', entity: 'lead', by: 'Query', index: 'list', units: '0.5 RRU per 4 KB' },
  (companyId: number, after: LeadPosition | undefined): Promise<ListReader<Lead>> =>
    Promise.resolve(readList(leadEntity, listRangeBelow(listPartition(companyId), after), toLead)),
);

export const listLeadIdsOfContact = pattern(
  { question: 'the ids of the leads of a contact', entity: 'lead-of-contact', by: 'Query', units: '1 RRU for about 40' },
  async (companyId: number, contactId: number): Promise<number[]> =>
    (await leadOfContactEntity.collect({ pk: contactPartition(companyId, contactId), consistent: true })).map(({ leadId }) => leadId),
);

/** The same of several contacts: of one, and of those that were merged into it. */
export const listLeadIdsOfContacts = async (companyId: number, contactIds: readonly number[]): Promise<number[]> =>
  (await Promise.all(contactIds.map((id) => listLeadIdsOfContact(companyId, id)))).flat();

export const activitiesNewestFirst = pattern(
  { question: 'the timeline of a lead, newest first, as far as it is read', entity: 'activity', by: 'Query', units: '0.5 RRU per 4 KB' },
  /** `before`: the key of an entry; from it on. */
  (companyId: number, leadId: number, before?: string): AsyncGenerator<{ entry: Activity }> =>
    activityEntity.items({
      pk: leadPartition(companyId, leadId),
      ...(before === undefined ? { begins: 'A#' } : { between: ['A#', `A#${before}`] as const }),
      descending: true,
    }),
);

export const deleteLeadActivity = pattern(
  { question: 'remove an entry of the timeline of an erased contact', entity: 'activity', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, leadId: number, k: string): Promise<void> => {
    await activityEntity.delete({ companyId, leadId, k });
  },
);
