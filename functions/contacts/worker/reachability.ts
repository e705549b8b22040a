import { consume } from '../../../shared/queue/consume.ts';
import { reachabilityQueue } from '../contract/phone-check.ts';
import { applyVerdict, recordInbound, recordUndeliverable } from '../service/reachability.ts';

export const handler = consume(reachabilityQueue, (told) => {
  switch (told.about) {
    case 'inbound':
      return recordInbound(told.company_id, told.contact_id, told.at);
    case 'miss':
      return recordUndeliverable(told.company_id, told.contact_id, told.phone, told.at);
    case 'verdict':
      return applyVerdict(told.company_id, told.phone);
  }
});
