import { messageTypes } from '../contract/stored.ts';
import { type SendContext, sendMessage, type SendOutcome, type SendProblem } from './sending.ts';

/** A plain text of our own, such as the answer to a word of consent: nothing about it has to be asked or checked. */
export const sendPlainText = (
  companyId: number,
  { phone, message }: { phone: string; message: string },
  context: SendContext,
): Promise<SendOutcome | SendProblem> =>
  sendMessage<never, undefined>(
    companyId,
    { phone },
    {
      ask: async () => undefined,
      compose: () => ({
        composed: { type: messageTypes.text, subtype: 'text', value: message, payload: undefined, media: undefined },
        lane: 'direct',
      }),
    },
    context,
  );
