import { consume } from '../../../shared/queue/consume.ts';
import { oneClickQueue } from '../contract/work.ts';
import { takeOneClick } from '../service/one-click.ts';

export const handler = consume(oneClickQueue, ({ company_id, contact_id, message_id }) => takeOneClick(company_id, contact_id, message_id));
