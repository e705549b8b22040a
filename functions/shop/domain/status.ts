/** Product and order statuses (2§2). */
export const productStatuses = ['Active', 'Draft', 'Archived'] as const;
export type ProductStatus = (typeof productStatuses)[number];

export const orderStatuses = ['Pending', 'Processing', 'Shipped', 'Fulfilled', 'Delivered', 'Cancelled', 'Refunded'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** A status in any case, as it is written. */
export const matchStatus = <S extends string>(statuses: readonly S[], text: string): S | undefined =>
  statuses.find((status) => status.toLowerCase() === text.trim().toLowerCase());

/** How far an order has come: going to a smaller number is a step back (S13). */
const rank: Record<OrderStatus, number> = { Pending: 0, Processing: 1, Shipped: 2, Fulfilled: 2, Delivered: 3, Cancelled: 4, Refunded: 4 };

export const isRegression = (from: OrderStatus, to: OrderStatus): boolean => rank[to] < rank[from];

const forward: Record<OrderStatus, readonly OrderStatus[]> = {
  Pending: ['Processing', 'Cancelled'],
  Processing: ['Shipped', 'Cancelled', 'Refunded'],
  Shipped: ['Fulfilled', 'Delivered', 'Cancelled', 'Refunded'],
  Fulfilled: ['Delivered', 'Refunded'],
  Delivered: ['Refunded'],
  Cancelled: [],
  Refunded: [],
};

/** Whether a company that asked for strict transitions lets an order move so (S13). */
export const isForward = (from: OrderStatus, to: OrderStatus): boolean => from === to || forward[from].includes(to);
