import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { hourMs, isoTime, now } from '../../../../shared/runtime/clock.ts';
import { uuidV7Bounds } from '../../../../shared/runtime/ids.ts';
import { decodeCursor, encodeCursor } from '../../../../shared/table/cursor.ts';
import { listVerificationCounts } from '../../../account/service/usage.ts';
import type { ReportDay, ReportQuery, RequestsQuery, RequestSummary } from '../../contract/admin.ts';
import type { StoredRequest } from '../../contract/stored.ts';
import { maskIdentifier } from '../../domain/identifier.ts';
import { reportDays } from '../../domain/report.ts';
import { listRequests } from '../../store/request.ts';
import { unsealValue } from '../secrets.ts';

/** The most requests that a filtered call reads, about 400 RRU, and 1,120 where each has 4 KB; a cursor then goes on. */
const maxRead = 1_400;
const filteredBatch = 200;

/** The requests of a company, newest first, without codes; identifiers are masked. A filtered page may be shorter than its limit. */
export const listVerificationRequests = async (
  companyId: number,
  { profile_id: profileId, status, from, to, limit = 50, cursor }: RequestsQuery,
): Promise<{ requests: RequestSummary[]; nextCursor: string | null } | Problem<'invalid_cursor'>> => {
  const scope = `${companyId}:verification-requests:${JSON.stringify([profileId, status, from, to])}`;
  const position = cursor === undefined ? undefined : await decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && position === undefined) return problem('invalid_cursor');
  const at = now();
  // clocks of two processes differ by less than an hour
  const range = [uuidV7Bounds(timeOf(from) ?? 0)[0], uuidV7Bounds(timeOf(to) ?? at + hourMs)[1]] as const;
  const isFiltered = profileId !== undefined || status !== undefined;
  const found: StoredRequest[] = [];
  let [last, read] = [position?.id, 0];
  for await (const request of requestsOf(companyId, range, last, isFiltered ? filteredBatch : limit + 1)) {
    // one more than the page holds: the list goes on
    if (found.length === limit || read === maxRead)
      return { requests: await toSummaries(found, at), nextCursor: last === undefined ? null : await encodeCursor(scope, { id: last }) };
    [last, read] = [request.id, read + 1];
    if ((profileId === undefined || request.profileId === profileId) && (status === undefined || statusAt(request, at) === status))
      found.push(request);
  }
  return { requests: await toSummaries(found, at), nextCursor: null };
};

async function* requestsOf(companyId: number, range: readonly [string, string], beyond: string | undefined, batch: number) {
  let last = beyond;
  for (;;) {
    const requests = await listRequests(companyId, range, last, batch);
    yield* requests;
    if (requests.length < batch) return;
    last = requests.at(-1)?.id;
  }
}

/** Requests by UTC day and profile, as the usage counts them. */
export const getVerificationReport = async (
  companyId: number,
  { profile_id: profileId, ...range }: ReportQuery,
): Promise<ReportDay[] | Problem<'validation_failed'>> => {
  const counts = await listVerificationCounts(companyId, range);
  if (isProblem(counts)) return counts;
  return reportDays(counts.filter((each) => profileId === undefined || each.profileId === profileId));
};

/** Epoch milliseconds, from 1970 on. */
const timeOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Math.max(0, Date.parse(time)));

const cursorPosition = z.object({ id: z.string() });

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
