import { consume } from '../../../shared/queue/consume.ts';
import { codesQueue } from '../contract/work.ts';
import { sendCode } from '../service/send-code.ts';
import { sendNotice } from '../service/send-notice.ts';

export const handler = consume(
  codesQueue,
  (message, { attempt }) =>
    'kind' in message
      ? sendNotice(message)
      : sendCode({ companyId: message.company_id, requestId: message.request_id, send: message.send, channel: message.channel }, attempt),
  // a claim whose answer was lost is recognised by the row's last write, which another claim would replace
  {
    sameItem: (message) => ('kind' in message ? `${message.company_id} ${message.user_id}` : message.request_id),
    place: (message) => ('kind' in message ? message.at : message.send),
  },
);
