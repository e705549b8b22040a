/** What the provider echoes in every status (`biz_opaque_callback_data`): finds the message's row without an index. */
export const referenceOf = (companyId: number, contactId: number, messageId: number): string =>
  `sb1:${companyId}:${contactId}:${messageId}`;

export const parseReference = (reference: string | undefined): { companyId: number; contactId: number; messageId: number } | undefined => {
  const found = /^sb1:(\d{1,15}):(\d{1,15}):(\d{1,16})$/.exec(reference ?? '');
  return found ? { companyId: Number(found[1]), contactId: Number(found[2]), messageId: Number(found[3]) } : undefined;
};

/** The same of a verification's code: which of its messages. */
export interface CodeReference {
  companyId: number;
  requestId: string;
  send: number;
}
export const codeReferenceOf = ({ companyId, requestId, send }: CodeReference): string => `sbv1:${companyId}:${requestId}:${send}`;

export const parseCodeReference = (reference: string | undefined): CodeReference | undefined => {
  const found = /^sbv1:(\d{1,15}):([0-9a-f-]{36}):(\d{1,4})$/.exec(reference ?? '');
  return found ? { companyId: Number(found[1]), requestId: found[2] ?? '', send: Number(found[3]) } : undefined;
};
