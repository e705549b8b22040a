import type { StoredRequest } from '../contract/stored.ts';

/** The message that a change of a request asks for, by reference; undefined: it asks for none. Test identifiers get none (V29). */
export const sendCodeCommandFor = (before: StoredRequest | undefined, after: StoredRequest) =>
  after.status === 'pending' && after.sends > (before?.sends ?? 0) && !after.test
    ? { company_id: after.companyId, request_id: after.id, send: after.sends, channel: after.channel }
    : undefined;
