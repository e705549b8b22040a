/** What a webhook token can be for. `custom` is missing on purpose: the ERP token is its token (2§5). */
export const receivers = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'] as const;
export type Receiver = (typeof receivers)[number];
