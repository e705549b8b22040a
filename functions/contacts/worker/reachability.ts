import { consume } from '../../../shared/queue/consume.ts';
import { reachabilityQueue } from '../contract/phone-check.ts';
import { applyVerdict, recordInbound, recordUndeliverable } from '../service/reachability.ts';

export const handler = consume(reachabilityQueue, (evidence) => {
  switch (evidence.about) {
    case 'inbound':
      return recordInbound(evidence.company_id, evidence.contact_id, evidence.at);
    case 'miss':
      return recordUndeliverable(evidence.company_id, evidence.contact_id, evidence.phone, evidence.at);
    case 'verdict':
      return applyVerdict(evidence.company_id, evidence.phone);
  }
});
