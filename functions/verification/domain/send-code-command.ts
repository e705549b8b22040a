import type { StoredRequest } from '../contract/stored.ts';

/** The queue message of a change that added a send, by reference; undefined for any other change and for test identifiers. */
export const sendCodeCommandFor = (
  before: Pick<StoredRequest, 'sends'> | undefined,
  after: StoredRequest,
): { company_id: number; request_id: string; send: number; channel: StoredRequest['channel'] } | undefined =>
  after.status === 'pending' && after.sends > (before?.sends ?? 0) && !after.test
    ? { company_id: after.companyId, request_id: after.id, send: after.sends, channel: after.channel }
    : undefined;
