import { consume } from '../../../shared/queue/consume.ts';
import { followUpsQueue } from '../contract/followup.ts';
import { lookAtCart } from '../service/carts.ts';
import { followOrder } from '../service/notices.ts';

export const handler = consume(followUpsQueue, async (work) => {
  switch (work.kind) {
    case 'order':
      return followOrder(work.company_id, work.order_id, work.status, work.is_new);
    case 'cart':
      return lookAtCart(work.company_id, work.cart_key, work.due_at_ms);
  }
});
