import type { StoredMessage } from './stored.ts';

/**
 * References (`biz_opaque_callback_data`): the provider returns them in every status of a send, so that its message is found without an
 * index. The prefix names the context that owns the statuses (shared/contract/status-owner.ts); `sb1` is messaging's own.
 */
export const campaignReferencePrefix = 'sbc1';
export const codeReferencePrefix = 'sbv1';

export interface MessageReference {
  companyId: number;
  contactId: number;
  messageId: number;
  /** Of a campaign's message: the campaign and the recipient batch. */
  campaign?: { id: number; batch: number };
}

export const formatReference = (companyId: number, contactId: number, messageId: number, campaign?: StoredMessage['campaign']): string => {
  const message = `${companyId}:${contactId}:${messageId}`;
  return campaign ? `${campaignReferencePrefix}:${message}:${campaign.id}:${campaign.batch}` : `sb1:${message}`;
};

export const parseReference = (reference: string | undefined): MessageReference | undefined => {
  const found = /^(?:sb1:(\d{1,15}):(\d{1,15}):(\d{1,16})|sbc1:(\d{1,15}):(\d{1,15}):(\d{1,16}):(\d{1,15}):(\d{1,16}))$/.exec(
    reference ?? '',
  );
  if (!found) return undefined;
  const [companyId = 0, contactId = 0, messageId = 0, id, batch] = found
    .slice(1)
    .filter((part) => part !== undefined)
    .map(Number);
  return { companyId, contactId, messageId, ...(id === undefined || batch === undefined ? {} : { campaign: { id, batch } }) };
};

/** A code of a verification has no message of its own: the reference names the request and which of its sends it is. */
export interface CodeReference {
  companyId: number;
  requestId: string;
  send: number;
}
export const formatCodeReference = ({ companyId, requestId, send }: CodeReference): string =>
  `${codeReferencePrefix}:${companyId}:${requestId}:${send}`;

export const parseCodeReference = (reference: string | undefined): CodeReference | undefined => {
  const found = /^sbv1:(\d{1,15}):([0-9a-f-]{36}):(\d{1,4})$/.exec(reference ?? '');
  return found ? { companyId: Number(found[1]), requestId: found[2] ?? '', send: Number(found[3]) } : undefined;
};
