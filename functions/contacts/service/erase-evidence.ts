import { type ErasureSubject, phonesOf } from '../../../shared/contract/erasure.ts';
import { deleteConsent, deleteConsentChange, listConsentChanges, listConsents } from '../store/consent.ts';
import { deleteReachability, getReachability } from '../store/reachability.ts';

/** The removals of what is stored about a contact beside its row. */
type Removals = Promise<(() => Promise<void>)[]>;

export const consentsOf = async ({ companyId, contactId }: ErasureSubject): Removals => [
  ...(await listConsents(companyId, contactId)).map((consent) => () => deleteConsent(consent)),
  ...(await listConsentChanges(companyId, contactId)).map((change) => () => deleteConsentChange(change)),
];

export const phoneCheckOf = async (subject: ErasureSubject): Removals => {
  const { companyId } = subject;
  const phones = phonesOf(subject);
  const checks = await Promise.all(phones.map((phone) => getReachability(companyId, phone, { consistent: true })));
  return phones.filter((_, place) => checks[place] !== undefined).map((phone) => () => deleteReachability(companyId, phone));
};
