import { consume } from '../../shared/queue/consume.ts';
import { snoozesQueue } from './contract/queue.ts';
import { endSnooze } from './service/conversations.ts';

export const handler = consume(snoozesQueue, ({ company_id, contact_id, until_ms }) => endSnooze(company_id, contact_id, until_ms));
