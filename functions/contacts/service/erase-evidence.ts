import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { deleteConsent, deleteConsentChange, listConsentChanges, listConsents } from '../store/consent.ts';
import { deleteReachability, getReachability } from '../store/reachability.ts';

/** The removals of what is stored about a contact beside its row. */
type Removals = Promise<(() => Promise<void>)[]>;

export const consentsOf = async ({ companyId, contactId }: ErasureSubject): Removals => [
  ...(await listConsents(companyId, contactId)).map((consent) => () => deleteConsent(consent)),
  ...(await listConsentChanges(companyId, contactId)).map((change) => () => deleteConsentChange(change)),
];

export const phoneCheckOf = async ({ companyId, phone }: ErasureSubject): Removals => {
  if (phone === undefined || (await getReachability(companyId, phone, true)) === undefined) return [];
  return [() => deleteReachability(companyId, phone)];
};
