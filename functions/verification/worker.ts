import { consume } from '../../shared/queue/consume.ts';
import { codesQueue } from './contract.ts';
import { sendCode } from './service/sending.ts';

export const handler = consume(codesQueue, ({ company_id, request_id, send }, { attempt }) =>
  sendCode(company_id, request_id, send, attempt),
);
