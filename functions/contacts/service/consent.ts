import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { ConsentRecord, consentSources } from '../contract/consent.ts';
import type { ConsentsQuery } from '../contract/contact.ts';
import type { Contact } from '../contract/stored.ts';
import { consentHistory, consentPage } from '../domain/consent.ts';
import { isLive } from '../domain/contact.ts';
import { getContactById } from '../store/contact.ts';
import { followMerges } from './followed-contacts.ts';
import { type Consent, getLatestConsent, listLatestConsentChanges, listLatestConsents, updateConsent } from '../store/consent.ts';

export interface ConsentChange {
  /** Exactly one of the two. */
  subscribed?: boolean;
  marketingBlocked?: boolean;
  source: (typeof consentSources)[number];
  /** When the recipient decided, epoch milliseconds. */
  at: number;
  /** The proof: the id of a message, or the provider's notice. */
  evidence: string;
}

/**
 * Records that a recipient opted out or in (A10, A52). The newest decision wins, so late or repeated changes have no effect.
 * `applied`: this change is in effect, also when an earlier attempt wrote it. About 2 RRU; 4 WRU for a change.
 */
export const setConsent = async (
  companyId: number,
  givenId: number,
  change: ConsentChange,
): Promise<{ applied: boolean; contact: Contact } | Problem<'not_found'>> => {
  const aspect = change.subscribed === undefined ? 'marketing' : 'subscribed';
  const wanted = change.subscribed ?? change.marketingBlocked === false;
  return retryOnConflict(maxAttempts, async () => {
    const [seen, ownLast] = await Promise.all([
      getContactById(companyId, givenId, { consistent: true }),
      getLatestConsent(companyId, givenId, aspect),
    ]);
    const contact = seen?.mergedInto === undefined ? seen : await followMerges(companyId, seen.mergedInto, { consistent: true });
    if (!isLive(contact)) return problem('not_found');
    const contactId = contact.id;
    const last = await latestOfMerged(contact, ownLast, aspect);
    if (last?.evidence === change.evidence && last.wanted === wanted) return { applied: true, contact };
    const own = aspect === 'subscribed' ? contact.consent : undefined;
    // a default is no decision: one of the recipient's from before the contact was made stands
    const setAt = Math.max(last?.at ?? 0, own?.isDefault ? 0 : (own?.at ?? 0));
    const isOld = setAt > change.at;
    const isSo = aspect === 'subscribed' ? contact.subscribed === wanted : contact.marketingBlocked === !wanted;
    // the provider repeats the same notice with each rejected message
    if (isOld || (isSo && last)) return { applied: false, contact };
    const at = Math.max(last?.at === change.at ? change.at + 1 : change.at, own?.isDefault ? own.at + 1 : 0);
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
    return (await updateConsent(next, record)) ? { applied: true, contact: next } : conflict;
  });
};

/** The newest change of the contact and of those that were merged into it. */
async function latestOfMerged(
  { companyId, id, mergedIds = [] }: Contact,
  seen: Consent | undefined,
  aspect: Consent['aspect'],
): Promise<Consent | undefined> {
  if (mergedIds.length === 0) return seen;
  const all = await Promise.all([id, ...mergedIds].map((each) => getLatestConsent(companyId, each, aspect)));
  return all.filter((each) => each !== undefined).toSorted((a, b) => b.at - a.at)[0];
}

const position = z.object({ upTo: z.int() });

/** GET /contacts/{id}/consents: every change, newest first. About 2 RRU a page. */
export const listContactConsents = (
  companyId: number,
  contactId: number,
  { limit, cursor }: ConsentsQuery,
): Promise<CursorPage<ConsentRecord> | Problem<'not_found' | 'invalid_cursor'>> =>
  listByCursor({ scope: `consents:${companyId}:${contactId}`, cursor, position }, async (after) => {
    const upTo = after?.upTo ?? Number.MAX_SAFE_INTEGER;
    // of each list all changes of the page's last millisecond, at most two, and one beyond
    const atMost = limit + 2;
    const ofOne = async (id: number) => {
      const [own, byRecipient] = await Promise.all([
        listLatestConsentChanges(companyId, id, upTo, atMost),
        listLatestConsents(companyId, id, upTo, atMost),
      ]);
      return { own, byRecipient };
    };
    const [contact, first] = await Promise.all([followMerges(companyId, contactId), ofOne(contactId)]);
    if (!isLive(contact)) return problem('not_found');
    const others = [contact.id, ...(contact.mergedIds ?? [])].filter((id) => id !== contactId);
    const lists = [first, ...(await Promise.all(others.map(ofOne)))];
    const history = consentHistory(
      contact,
      lists.flatMap(({ own }) => own),
      lists.flatMap(({ byRecipient }) => byRecipient),
    );
    const { changes, next } = consentPage(history, { upTo, limit });
    return { items: changes, next: next === undefined ? undefined : { upTo: next } };
  });

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
