/** Product and order statuses. */
export const productStatuses = ['Active', 'Draft', 'Archived'] as const;
export type ProductStatus = (typeof productStatuses)[number];

export const orderStatuses = ['Pending', 'Processing', 'Shipped', 'Fulfilled', 'Delivered', 'Cancelled', 'Refunded'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The status that the text spells in any case. */
export const matchStatus = <S extends string>(statuses: readonly S[], text: string): S | undefined =>
  statuses.find((status) => status.toLowerCase() === text.trim().toLowerCase());

/** The progress of an order. A move to a smaller number is a regression. */
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

/** Whether a company with strict order transitions allows the move. */
export const isForward = (from: OrderStatus, to: OrderStatus): boolean => from === to || forward[from].includes(to);
