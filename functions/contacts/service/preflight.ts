import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { Preflight } from '../contract/preflight.ts';
import { ReadinessCounter } from '../domain/preflight.ts';
import { getGroups } from '../store/group.ts';
import { listGroupMembers } from './group-members.ts';

/**
 * Counts the contacts of a group that a campaign would reach, from stored contacts and past webhooks only (A20); sends nothing. About 1 RRU
 * per 16 contacts if they were created together, else 0.5 RRU a contact.
 */
export const preflightGroup = async (companyId: number, groupId: number): Promise<Preflight | Problem<'not_found'>> => {
  const [group] = await getGroups(companyId, [groupId]);
  if (group === undefined) return problem('not_found');
  const at = now();
  const count = new ReadinessCounter(at);
  for await (const contacts of listGroupMembers(companyId, groupId)) for (const contact of contacts) count.add(contact);
  return { group_id: groupId, ...count.counts(), evidence_as_of: isoTime(at) };
};

/** The deprecated name of preflightGroup. */
export const checkGroupPhones = preflightGroup;
