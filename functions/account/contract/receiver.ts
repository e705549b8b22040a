/** Receivers that have webhook tokens. `custom` is missing on purpose: it uses the ERP token. */
export const receivers = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'] as const;
export type Receiver = (typeof receivers)[number];
