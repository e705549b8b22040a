import type { Cells } from '../../../shared/events/recount.ts';
import { codeCell } from '../../usage/contract/charges.ts';
import { type Used, utcDayOf } from '../../usage/contract/count.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { requestCountryCell, requestReasonCell } from '../contract/usage.ts';

/** A request that has ended. Those of a test profile send no codes. */
export const usedByRequest = (request: StoredRequest | undefined): Used | undefined => {
  if (!request || request.status === 'pending' || request.test) return undefined;
  const of = `${request.channel}/${request.status}`;
  return {
    day: utcDayOf(request.endedAt ?? request.createdAt),
    cells: {
      [`v/${of}/${shortId(request.profileId)}`]: 1,
      ...byCountry(request),
      ...byReason(request),
      ...(request.claimedSend > 0 ? { [`c/${of}`]: request.claimedSend, ...chargedCodes(request) } : {}),
    },
  };
};

/** Requests over WhatsApp are counted by country too, since what their codes cost depends on it. An email is of no country. */
const byCountry = ({ channel, status, profileId, country }: StoredRequest): Cells =>
  channel === 'whatsapp' ? { [requestCountryCell(status, shortId(profileId), country)]: 1 } : {};

/** A request that failed or was blocked is counted by why it did. */
const byReason = ({ channel, status, profileId, reason }: StoredRequest): Cells =>
  status === 'failed' || status === 'blocked' ? { [requestReasonCell(channel, status, shortId(profileId), reason)]: 1 } : {};

/** Codes by WhatsApp are charged by the country of the phone; those by email are not. */
const chargedCodes = ({ channel, profileId, country, claimedSend }: StoredRequest): Cells =>
  channel === 'whatsapp' ? { [codeCell(shortId(profileId), country)]: claimedSend } : {};

/** What a cell says of a profile: enough to know it among those of a company. */
const shortId = (profileId: string): string => profileId.slice(0, 8);

/** The profile that a cell names; null of requests that were counted before cells named one. */
export const profileWithShortId = (given: string | undefined, profileIds: readonly string[]): string | null =>
  profileIds.find((id) => shortId(id) === given) ?? null;
