import { isoTime } from '../../../shared/runtime/clock.ts';
import { sortable } from '../../../shared/table/schema.ts';
import type { Contact } from '../contract/stored.ts';
import type { ConsentRecord, StoredConsentChange } from '../contract/consent.ts';

/** The place of a change among those of its contact. */
export const consentChangeKey = (at: number, isSubscribed: boolean): string => `${sortable(at)}#${isSubscribed}`;

export interface RecipientChange {
  aspect: 'subscribed' | 'marketing';
  wanted: boolean;
  source: ConsentRecord['source'];
  at: number;
  evidence?: string | undefined;
}

/**
 * All changes of consent of a contact, newest first. The consent that it has now counts too: no other item has it before the first change. A
 * change that is recorded with its evidence is listed once.
 */
export const consentHistory = (
  contact: Pick<Contact, 'subscribed' | 'consent'>,
  own: readonly StoredConsentChange[],
  byRecipient: readonly RecipientChange[],
): RecipientChange[] => {
  const current = contact.consent ? [{ wanted: contact.subscribed, ...contact.consent }] : [];
  const changes = new Map<string, RecipientChange>();
  for (const change of [...current, ...own]) changes.set(placeOf({ ...change, aspect: 'subscribed' }), { ...change, aspect: 'subscribed' });
  for (const change of byRecipient) changes.set(placeOf(change), change);
  return [...changes.values()].toSorted((a, b) => b.at - a.at);
};

/** The newest changes up to a time: as many as the limit, and all of the last one's millisecond. `next`: up to when the next page goes. */
export const consentPage = (
  history: readonly RecipientChange[],
  { upTo, limit }: { upTo: number; limit: number },
): { changes: ConsentRecord[]; next: number | undefined } => {
  const rest = history.filter(({ at }) => at <= upTo);
  const last = rest[limit - 1]?.at;
  const shown = last === undefined ? rest : rest.filter(({ at }) => at >= last);
  return { changes: shown.map(toRecord), next: last === undefined || shown.length === rest.length ? undefined : last - 1 };
};

const toRecord = ({ aspect, wanted, source, evidence, at }: RecipientChange): ConsentRecord => ({
  scope: aspect === 'marketing' ? 'marketing' : 'all',
  subscribed: wanted,
  source,
  evidence: evidence ?? null,
  at: isoTime(at),
});

const placeOf = ({ aspect, wanted, at }: RecipientChange): string => `${aspect}#${wanted}#${at}`;
