import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { consentSources } from '../contract/consent.ts';
import { type Contact, isLive } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';
import { type Consent, getLatestConsent, updateConsent } from '../store/consent.ts';

export interface ConsentChange {
  /** Exactly one of the two. */
  subscribed?: boolean;
  marketingBlocked?: boolean;
  source: (typeof consentSources)[number];
  /** When the person said so, epoch milliseconds. */
  at: number;
  /** What shows it: a message's id, the provider's word. */
  evidence: string;
}

/**
 * What a person said of being written to (A10, A52), with its source. The newest word holds: what comes late or again changes nothing.
 * `applied`: this very change is what holds now, also when it was written by an earlier try. About 2 RRU; 4 WRU for a change.
 */
export const setConsent = async (
  companyId: number,
  contactId: number,
  change: ConsentChange,
): Promise<{ applied: boolean; contact: Contact } | Problem<'not_found'>> => {
  const aspect = change.subscribed === undefined ? 'marketing' : 'subscribed';
  const wanted = change.subscribed ?? change.marketingBlocked === false;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const [contact, last] = await Promise.all([getContactById(companyId, contactId, true), getLatestConsent(companyId, contactId, aspect)]);
    if (!isLive(contact)) return problem('not_found');
    if (last?.evidence === change.evidence && last.wanted === wanted) return { applied: true, contact };
    const setAt = Math.max(last?.at ?? 0, aspect === 'subscribed' ? (contact.consent?.at ?? 0) : 0);
    const isOld = setAt > change.at;
    const isSo = aspect === 'subscribed' ? contact.subscribed === wanted : contact.marketingBlocked === !wanted;
    // at the provider, each refused message says the same again
    if (isOld || (isSo && last)) return { applied: false, contact };
    const at = last?.at === change.at ? change.at + 1 : change.at;
    const next = withConsent(contact, { wanted, at }, change.source, aspect);
    const record: Consent = {
      companyId,
      contactId,
      aspect,
      wanted,
      source: change.source,
      at,
      evidence: change.evidence,
      recordedAt: now(),
    };
    if (await updateConsent(next, record)) return { applied: true, contact: next };
  }
  throw new Error('A contact changed too often to set its consent.');
};

const maxAttempts = 12;

function withConsent(
  contact: Contact,
  { wanted, at }: { wanted: boolean; at: number },
  source: ConsentChange['source'],
  aspect: Consent['aspect'],
): Contact {
  const base = { ...contact, rev: contact.rev + 1, updatedAt: Math.max(now(), contact.updatedAt) };
  return aspect === 'marketing' ? { ...base, marketingBlocked: !wanted } : { ...base, subscribed: wanted, consent: { source, at } };
}
