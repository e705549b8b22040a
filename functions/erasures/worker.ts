import { consume } from '../../shared/queue/consume.ts';
import { erasuresQueue } from './contract/erasure.ts';
import { erasePurgedContact, runErasure } from './service/run-erasure.ts';
import { runRetention } from './service/run-retention.ts';

export const handler = consume(erasuresQueue, async ({ company_id: companyId, contact_id: contactId, purged }) => {
  if (contactId === undefined) return runRetention(companyId);
  return purged
    ? erasePurgedContact({ companyId, contactId, phone: purged.phone, userId: purged.user_id, email: purged.email, name: purged.name })
    : runErasure(companyId, contactId);
});
