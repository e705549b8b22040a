import * as z from 'zod';
import { getStoredRequest, listStoredRequests, type LoggedRequest } from '../../../shared/access/logged-request.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import type { LoggedRequestRecord, LoggedRequestWithBodies, LoggedRequestsQuery } from '../contract/request.ts';

/** Calls that a page reads at most; where its filter passes few of them, the next page goes on behind. */
const mostRead = 1_000;

/** Calls of tokens, newest first. Reads 0.5 RRU for about twelve calls. */
export const listLoggedRequests = (
  companyId: number,
  query: LoggedRequestsQuery,
): Promise<CursorPage<LoggedRequestRecord> | Problem<'invalid_cursor'>> => {
  const { limit, cursor, ...filters } = query;
  const isWanted = wantedBy(filters);
  const atMost = Object.values(filters).every((each) => each === undefined) ? limit + 1 : mostRead;
  return listByCursor({ scope: `requests:${companyId}`, cursor, position: z.object({ id: z.string() }) }, async (after) => {
    const found = await listStoredRequests(companyId, after?.id, atMost);
    const wanted = found.filter(isWanted);
    const items = wanted.slice(0, limit);
    // behind the last one shown, or behind all that was read
    const last = wanted.length > limit ? items.at(-1) : found.length === atMost ? found.at(-1) : undefined;
    return { items: items.map(toRecord), next: last && { id: last.requestId } };
  });
};

/** One call, with what it sent and got where that was logged. */
export const getLoggedRequest = async (companyId: number, requestId: string): Promise<LoggedRequestWithBodies | Problem<'not_found'>> => {
  const found = await getStoredRequest(companyId, requestId);
  return found ? { ...toRecord(found), request_body: found.sent ?? null, answer_body: found.got ?? null } : problem('not_found');
};

type Filters = Omit<LoggedRequestsQuery, 'limit' | 'cursor'>;

const wantedBy =
  ({ outcome, operation, code, credential_id: credentialId }: Filters) =>
  (each: LoggedRequest): boolean =>
    (outcome === undefined || outcomeOf(each) === outcome) &&
    (operation === undefined || each.operation === operation) &&
    (code === undefined || each.code === code) &&
    (credentialId === undefined || each.credentialId === credentialId);

const outcomeOf = ({ status }: LoggedRequest): LoggedRequestsQuery['outcome'] =>
  status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed';

const toRecord = (each: LoggedRequest): LoggedRequestRecord => ({
  id: each.requestId,
  at: isoTime(each.at),
  operation: each.operation,
  method: each.method,
  path: each.path,
  status: each.status,
  code: each.code ?? null,
  fields: each.fields ?? [],
  duration_ms: each.ms,
  credential: { id: each.credentialId, kind: each.credentialKind },
  user_id: each.userId ?? null,
  ip: each.ip,
  user_agent: each.userAgent ?? null,
  is_replayed: each.replayed ?? false,
  has_bodies: each.sent !== undefined || each.got !== undefined,
});
