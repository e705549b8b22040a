import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { mapOk } from '../../../shared/http/reply.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { listByCursor } from '../../../shared/table/page.ts';
import type { Preflight } from '../contract/preflight.ts';
import { ReadinessCounter } from '../domain/preflight.ts';
import { getGroups } from '../store/group.ts';
import { listGroupMembers } from './group-members.ts';

/** A count that takes longer goes on by a cursor: a call that cannot end in time helps no one. */
const countingMs = 6_000;

const position = z.object({ below: z.int() });

/**
 * Counts the contacts of a group that a campaign would reach, from stored contacts and past webhooks only (A20); sends nothing. About 1 RRU
 * per 16 contacts if they were created together, else 0.5 RRU a contact. Large groups are counted in parts, whose counts add up.
 */
export const preflightGroup = async (
  companyId: number,
  groupId: number,
  cursor: string | undefined,
  { limitMs = countingMs, pagesAtOnce }: { limitMs?: number; pagesAtOnce?: number } = {},
): Promise<Preflight | Problem<'not_found' | 'invalid_cursor'>> => {
  const startedAt = performance.now();
  const [group] = await getGroups(companyId, [groupId]);
  if (group === undefined) return problem('not_found');
  const found = await listByCursor({ scope: `preflight:${companyId}:${groupId}`, cursor, position }, async (from) => {
    const at = now();
    const count = new ReadinessCounter(at);
    let below: number | undefined;
    for await (const { contacts, next } of listGroupMembers(companyId, groupId, { below: from?.below, pagesAtOnce })) {
      for (const contact of contacts) count.add(contact);
      below = next;
      if (performance.now() - startedAt >= limitMs) break;
    }
    const counts = { group_id: groupId, ...count.counts(), evidence_as_of: isoTime(at), is_partial: below !== undefined };
    return { counts, next: below === undefined ? undefined : { below } };
  });
  return mapOk(found, ({ counts, nextCursor }) => ({ ...counts, next_cursor: nextCursor ?? null }));
};

/** The deprecated name of preflightGroup. */
export const checkGroupPhones = preflightGroup;
