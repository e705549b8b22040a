import * as z from 'zod';
import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { consentChangeEntityName, consentSources, storedConsentChange, type StoredConsentChange } from '../contract/consent.ts';
import { toItem } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { contactEntity } from './contact.ts';

const partition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CONSENT#${contactId}`;

/** Every change of consent that a recipient made, stored without expiry as proof. Times are epoch milliseconds. */
const consentEntity = entity({
  name: 'consent',
  purpose: "A recipient's own change of consent, with its source and evidence",
  attributes: z.object({
    companyId: z.int(),
    contactId: z.int(),
    aspect: z.enum(['subscribed', 'marketing']),
    /** Whether the recipient accepts messages since then. */
    wanted: z.boolean(),
    source: z.enum(consentSources),
    at: z.int(),
    /** The proof: the provider's id of the message, or the provider's notice. */
    evidence: z.string().optional(),
    recordedAt: z.int(),
  }),
  key: ({ companyId, contactId, aspect, at }: ConsentKey) => ({
    pk: partition(companyId, contactId),
    sk: `${aspect}#${sortable(at)}`,
  }),
  idOf: ({ companyId, contactId, aspect, at }) => ({ companyId, contactId, aspect, at }),
  personalData: 'changes of consent with their evidence',
  example: { pk: 'C#<company>#CONSENT#<contact>', sk: '<aspect>#<time>' },
});
export type Consent = ItemOf<typeof consentEntity>;
interface ConsentKey {
  companyId: number;
  contactId: number;
  aspect: 'subscribed' | 'marketing';
  at: number;
}

export const getLatestConsent = pattern(
  { question: "a recipient's last change of consent of a kind", entity: 'consent', by: 'Query', units: '1 RRU, consistently' },
  async (companyId: number, contactId: number, aspect: ConsentKey['aspect']): Promise<Consent | undefined> => {
    const { pk } = consentEntity.key({ companyId, contactId, aspect, at: 0 });
    const page = await consentEntity.query({ pk, begins: `${aspect}#`, descending: true, limit: 1, consistent: true });
    return page.items[0];
  },
);

export const listConsents = pattern(
  { question: 'the changes of consent of a contact', entity: 'consent', by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number, contactId: number): Promise<Consent[]> =>
    consentEntity.collect({ pk: partition(companyId, contactId), consistent: true }),
);

export const listLatestConsents = pattern(
  { question: 'the newest changes of consent of a contact, of each kind', entity: 'consent', by: 'Query', units: '1 RRU per 4 KB a kind' },
  async (companyId: number, contactId: number, upTo: number, atMost: number): Promise<Consent[]> => {
    const pk = partition(companyId, contactId);
    const ofKinds = (['subscribed', 'marketing'] as const).map((aspect) => {
      const between = [`${aspect}#`, `${aspect}#${sortable(upTo)}`] as const;
      return consentEntity.collect({ pk, between, descending: true, consistent: true }, { atMost });
    });
    return (await Promise.all(ofKinds)).flat();
  },
);

export const deleteConsent = pattern(
  { question: 'remove a change of consent of an erased contact', entity: 'consent', by: 'DeleteItem', units: '1 WRU' },
  async (consent: ConsentKey): Promise<void> => {
    await consentEntity.delete(consent);
  },
);

/** A projection of the change stream, stored without expiry as proof. */
export const consentChangeEntity = entity({
  name: consentChangeEntityName,
  purpose: 'A change of consent that came with a write of the contact',
  attributes: storedConsentChange,
  key: ({ companyId, contactId, k }: { companyId: number; contactId: number; k: string }) => ({
    pk: changesPartition(companyId, contactId),
    sk: k,
  }),
  idOf: ({ companyId, contactId, k }) => ({ companyId, contactId, k }),
  personalData: 'changes of consent',
  example: { pk: 'C#<company>#CONSENTCHANGE#<contact>', sk: '<time>#<subscribed>' },
});
const changesPartition = (companyId: number, contactId: number): string => `${tenant(companyId)}#CONSENTCHANGE#${contactId}`;

export const listConsentChanges = pattern(
  { question: 'changes of consent by writes of a contact', entity: 'consent-change', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, contactId: number): Promise<StoredConsentChange[]> =>
    consentChangeEntity.collect({ pk: changesPartition(companyId, contactId), consistent: true }),
);

export const listLatestConsentChanges = pattern(
  { question: 'the newest changes of consent by writes of a contact', entity: 'consent-change', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number, contactId: number, upTo: number, atMost: number): Promise<StoredConsentChange[]> =>
    consentChangeEntity.collect(
      { pk: changesPartition(companyId, contactId), between: [sortable(0), `${sortable(upTo)}#~`], descending: true, consistent: true },
      { atMost },
    ),
);

export const deleteConsentChange = pattern(
  { question: 'remove a change of consent of an erased contact', entity: 'consent-change', by: 'DeleteItem', units: '1 WRU' },
  async (change: StoredConsentChange): Promise<void> => {
    await consentChangeEntity.delete(change);
  },
);

/** Writes the contact and the record of the change in one transaction. False: the contact or its consent changed since it was read. */
export const updateConsent = pattern(
  { question: 'a contact changes its consent, with the record of it', entity: 'consent', by: 'TransactWriteItems', units: '4 WRU' },
  async (contact: Contact, consent: Consent): Promise<boolean> => {
    const committed = await commit({
      contact: contactEntity.putting(toItem(contact), all(exists(), equals('r', contact.rev - 1))),
      consent: consentEntity.putting(consent, missing()),
    });
    return committed.done;
  },
);
