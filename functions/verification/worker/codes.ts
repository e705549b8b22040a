import { consume } from '../../../shared/queue/consume.ts';
import { codesQueue } from '../contract/work.ts';
import { sendCode } from '../service/send-code.ts';

export const handler = consume(
  codesQueue,
  ({ company_id, request_id, send, channel }, { attempt }) =>
    sendCode({ companyId: company_id, requestId: request_id, send, channel }, attempt),
  // a claim whose answer was lost is recognised by the row's last write, which another claim would replace
  { sameItem: ({ request_id }) => request_id, place: ({ send }) => send },
);
