/**
 * A context that follows the provider's statuses of its own sends. Every send carries a reference (`biz_opaque_callback_data`), which the
 * provider returns with each status; messaging finds the owner of a status by the prefix of its reference.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#statuses-object
 */
export interface StatusOwner {
  /** The reference up to its first colon; unique in the product. */
  prefix: string;
  /** `done`: nothing is left to do. `apply`: messaging applies the status to the message that the reference names. */
  receive: (status: OwnedStatus) => Promise<'done' | 'apply'>;
}

export interface OwnedStatus {
  companyId: number;
  reference: string;
  /** `sent`, `delivered`, `read`, `failed`. */
  status: string;
  /** What the provider says of the charge; undefined in most statuses. */
  pricing: StatusPricing | undefined;
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#statuses-object */
export interface StatusPricing {
  category?: string | undefined;
  type?: string | undefined;
  billable?: boolean | undefined;
}
