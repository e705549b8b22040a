import type { Order } from '../../../client/client.ts';
import { isForward } from '../../../functions/shop/domain/status.ts';
import type { BadgeLook } from '../../components/basics.tsx';
import type { Choice } from '../../components/fields.tsx';
import type { shopText } from '../../text/shop.ts';
import type { TextOf } from '../../text/text.ts';

type Status = Order['status'];

export const orderStatuses = [
  'Pending',
  'Processing',
  'Shipped',
  'Fulfilled',
  'Delivered',
  'Cancelled',
  'Refunded',
] as const satisfies readonly Status[];

/** A status in words, and how it looks. */
export const statusOf = (text: TextOf<typeof shopText>, status: Status): { name: string; look: BadgeLook | undefined } =>
  ({
    Pending: { name: text.pending, look: 'warn' as const },
    Processing: { name: text.processing, look: 'info' as const },
    Shipped: { name: text.shipped, look: 'info' as const },
    Fulfilled: { name: text.fulfilled, look: 'good' as const },
    Delivered: { name: text.delivered, look: undefined },
    Cancelled: { name: text.cancelled, look: 'bad' as const },
    Refunded: { name: text.refunded, look: 'bad' as const },
  })[status];

/** The statuses that an order may take; one that the shop refuses is off, with the reason beside its name. */
export const statusChoices = (text: TextOf<typeof shopText>, from: Status, isStrict: boolean): Choice<Status>[] =>
  orderStatuses.map((to) => {
    const { name } = statusOf(text, to);
    return isStrict && !isForward(from, to) ? [to, text.notAfter(name, statusOf(text, from).name), true] : [to, name];
  });
