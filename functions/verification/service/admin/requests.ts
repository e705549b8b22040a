import * as z from 'zod';
import { isProblem, type Problem } from '../../../../shared/contract/problems.ts';
import { hourMs, isoTime, now } from '../../../../shared/runtime/clock.ts';
import { uuidV7Bounds } from '../../../../shared/runtime/ids.ts';
import { type CursorPage, listByCursor } from '../../../../shared/table/page.ts';
import { listStoredProfiles } from '../../../account/service/stored-profiles.ts';
import { listUsageByDay } from '../../../usage/service.ts';
import type { ReportBreakdown, ReportDay, VerificationReportQuery, RequestsQuery, RequestSummary } from '../../contract/admin.ts';
import type { StoredRequest } from '../../contract/stored.ts';
import { verificationCounts, verificationCountsByCountry, verificationCountsByReason } from '../../contract/usage.ts';
import { maskIdentifier } from '../../domain/identifier.ts';
import { reportDays } from '../../domain/report.ts';
import { profileWithShortId } from '../../domain/usage.ts';
import { listRequests } from '../../store/request.ts';
import { unsealValue } from '../secrets.ts';

/** The most requests that a filtered call reads, about 400 RRU, and 1,120 where each has 4 KB; a cursor then goes on. */
const maxRead = 1_400;
const filteredBatch = 200;

const position = z.object({ id: z.string() });

/** The requests of a company, newest first, without codes; identifiers are masked. A filtered page may be shorter than its limit. */
export const listVerificationRequests = (
  companyId: number,
  { profile_id: profileId, status, from, to, limit = 50, cursor }: RequestsQuery,
): Promise<CursorPage<RequestSummary> | Problem<'invalid_cursor'>> =>
  listByCursor(
    { scope: `${companyId}:verification-requests:${JSON.stringify([profileId, status, from, to])}`, cursor, position },
    async (after) => {
      const at = now();
      // clocks of two processes differ by less than an hour
      const range = [uuidV7Bounds(timeOf(from) ?? 0)[0], uuidV7Bounds(timeOf(to) ?? at + hourMs)[1]] as const;
      const isFiltered = profileId !== undefined || status !== undefined;
      const found: StoredRequest[] = [];
      let [next, read] = [after, 0];
      for await (const request of requestsOf(companyId, range, after?.id, isFiltered ? filteredBatch : limit + 1)) {
        // one more than the page holds: the list goes on
        if (found.length === limit || read === maxRead) return { items: await toSummaries(found, at), next };
        [next, read] = [{ id: request.id }, read + 1];
        if ((profileId === undefined || request.profileId === profileId) && (status === undefined || statusAt(request, at) === status))
          found.push(request);
      }
      return { items: await toSummaries(found, at), next: undefined };
    },
  );

async function* requestsOf(companyId: number, range: readonly [string, string], beyond: string | undefined, batch: number) {
  let last = beyond;
  for (;;) {
    const requests = await listRequests(companyId, range, last, batch);
    yield* requests;
    if (requests.length < batch) return;
    last = requests.at(-1)?.id;
  }
}

const breakdowns = {
  profile: verificationCounts,
  channel: verificationCounts,
  country: verificationCountsByCountry,
  reason: verificationCountsByReason,
} as const satisfies Record<ReportBreakdown, unknown>;

/** Requests by UTC day and profile, as the usage counts them. */
export const getVerificationReport = async (
  companyId: number,
  { profile_id: profileId, by = 'profile', ...range }: VerificationReportQuery,
): Promise<ReportDay[] | Problem<'validation_failed'>> => {
  const [used, profiles] = await Promise.all([listUsageByDay(companyId, range), listStoredProfiles(companyId)]);
  if (isProblem(used)) return used;
  const profileIds = profiles.map(({ id }) => id);
  const countsOf = breakdowns[by];
  const counts = used.days.flatMap(({ date, cells }) =>
    countsOf(cells).map(({ profile, ...each }) => ({ ...each, date, profileId: profileWithShortId(profile, profileIds) })),
  );
  return reportDays(
    counts.filter((each) => profileId === undefined || each.profileId === profileId),
    by,
  );
};

/** Epoch milliseconds, from 1970 on. */
const timeOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Math.max(0, Date.parse(time)));

/** A pending request whose expiry has passed is shown as expired, as its status is. */
const statusAt = ({ status, expiresAt }: StoredRequest, at: number): StoredRequest['status'] =>
  status === 'pending' && expiresAt <= at ? 'expired' : status;

const toSummaries = (requests: readonly StoredRequest[], at: number): Promise<RequestSummary[]> =>
  Promise.all(
    requests.map(async (request) => ({
      request_id: request.id,
      profile_id: request.profileId,
      identifier: maskIdentifier({
        kind: request.channel === 'email' ? 'email' : 'phone',
        value: await unsealValue(request.id, 'identifier', request.sealedIdentifier),
      }),
      channel: request.channel,
      purpose: request.purpose,
      status: statusAt(request, at),
      reason: request.reason ?? null,
      codes: request.claimedSend,
      attempts: request.attempts ?? null,
      test: request.test === true,
      created_at: isoTime(request.createdAt),
      ended_at: request.endedAt === undefined ? null : isoTime(request.endedAt),
    })),
  );
