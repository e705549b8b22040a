import { consume } from '../../../shared/queue/consume.ts';
import { followUpsQueue } from '../contract/followup.ts';
import { followOrder } from '../service/notices.ts';
import { redactSlice } from '../service/redacting.ts';
import { lookAtCart } from '../service/reminding.ts';

export const handler = consume(followUpsQueue, async (work) => {
  switch (work.kind) {
    case 'order':
      return followOrder(work.company_id, work.order_id, work.status, work.is_new);
    case 'redact':
      return redactSlice(work.company_id, work.request, work.below);
    case 'cart':
      return lookAtCart(work.company_id, work.cart_key, work.due_at_ms);
  }
});
