import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { redacted } from '../domain/order.ts';
import { modifyOrder } from './orders.ts';

/** Removes the customer's data from an order; later updates of its source do not restore it. */
export const redactOrder = async (companyId: number, id: number): Promise<void> => {
  const changed = await modifyOrder<never>(companyId, id, (order) => redacted(order, order.redactedAt ?? now()));
  if (isProblem(changed) && changed.problem === 'conflict') throw new Error('Too many conflicts while redacting an order.');
};
