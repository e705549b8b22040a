import type { StoredMessage } from '../contract/stored.ts';

/** What the provider echoes in every status (`biz_opaque_callback_data`): finds the message's row without an index. */
export interface MessageReference {
  companyId: number;
  contactId: number;
  messageId: number;
  /** Of a campaign's message: the campaign and the block. */
  campaign?: { id: number; block: number };
}

export const formatReference = (companyId: number, contactId: number, messageId: number, campaign?: StoredMessage['campaign']): string =>
  `sb1:${companyId}:${contactId}:${messageId}${campaign ? `:${campaign.id}:${campaign.block}` : ''}`;

export const parseReference = (reference: string | undefined): MessageReference | undefined => {
  const found = /^sb1:(\d{1,15}):(\d{1,15}):(\d{1,16})(?::(\d{1,15}):(\d{1,16}))?$/.exec(reference ?? '');
  if (!found) return undefined;
  const [companyId = 0, contactId = 0, messageId = 0, id, block] = found
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  return { companyId, contactId, messageId, ...(id === undefined || block === undefined ? {} : { campaign: { id, block } }) };
};

/** The same of a verification's code: which of its messages. */
export interface CodeReference {
  companyId: number;
  requestId: string;
  send: number;
}
export const formatCodeReference = ({ companyId, requestId, send }: CodeReference): string => `sbv1:${companyId}:${requestId}:${send}`;

export const parseCodeReference = (reference: string | undefined): CodeReference | undefined => {
  const found = /^sbv1:(\d{1,15}):([0-9a-f-]{36}):(\d{1,4})$/.exec(reference ?? '');
  return found ? { companyId: Number(found[1]), requestId: found[2] ?? '', send: Number(found[3]) } : undefined;
};
