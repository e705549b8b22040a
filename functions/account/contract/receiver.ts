/** Receivers that have webhook tokens. `custom` is missing on purpose: it uses the ERP token. */
export const receivers = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'] as const;
export type Receiver = (typeof receivers)[number];

/** The receivers of stores, carts and carriers: what one without a secret takes causes no message. */
export const shopReceivers: readonly Receiver[] = ['storeplatform', 'webshop', 'logistics', 'checkout'];

/** Where a sender posts to, below the base URL of the deployment. `custom`: the receiver of an ERP token. */
export const receiverPath = (receiver: Receiver | 'custom', token: string): string =>
  receiver === 'messaging' ? `/webhook/messaging/receive/${token}` : `/shop/webhooks/${receiver}/${token}`;
