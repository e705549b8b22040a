import { consume } from '../../../shared/queue/consume.ts';
import { followUpsQueue } from '../contract/follow-up.ts';
import { followUpOrder } from '../service/order-notifications.ts';
import { redactOrderSlice } from '../service/privacy-requests.ts';
import { checkCart } from '../service/cart-reminders.ts';

export const handler = consume(followUpsQueue, async (work) => {
  switch (work.kind) {
    case 'order':
      return followUpOrder(work.company_id, work.order_id, work.status, work.is_new);
    case 'redact':
      return redactOrderSlice(work.company_id, work.request, work.below);
    case 'cart':
      return checkCart(work.company_id, work.cart_key, work.due_at_ms);
  }
});
