import type { JournalRule } from '../../shared/contract/journal.ts';
import { cartEntityName } from './contract/stored.ts';

/** That a customer was notified of an order or reminded of a cart. */
export const journal: readonly JournalRule[] = [{ of: cartEntityName }, { of: 'shop-cart-activity' }, { of: 'shop-order-notification' }];
