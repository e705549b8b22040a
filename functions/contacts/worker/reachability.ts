import { consume } from '../../../shared/queue/consume.ts';
import { reachabilityQueue } from '../contract/phone-check.ts';
import { followVerdict, noteInbound, noteMiss } from '../service/phone-check-evidence.ts';

export const handler = consume(reachabilityQueue, (told) => {
  switch (told.about) {
    case 'inbound':
      return noteInbound(told.company_id, told.contact_id, told.at);
    case 'miss':
      return noteMiss(told.company_id, told.contact_id, told.phone, told.at);
    case 'verdict':
      return followVerdict(told.company_id, told.phone);
  }
});
