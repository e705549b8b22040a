/**
 * Recorded payloads that the product takes and does nothing with, on purpose, each with the reason. A post of the provider is stored as it came
 * for 30 days; a shop is answered that its event is ignored. Both are asserted.
 */
export const ignoredSamples: readonly [name: RegExp, reason: string][] = [
  [/account_alerts/, 'an alert of the provider about its own limits; numbers and account state come in fields of their own'],
  [
    /partner_(added|removed)/i,
    'of an account of another business than the company; test/account/provider-updates.test.ts has the company’s',
  ],
  [/primary_business_location|doc_account_update_(4|6|10|12)|pricing_tier/, 'prices, terms and dates of the account that limit no send'],
  [/account_restriction_calls/, 'a restriction of calls, which the product does not make'],
  [/businessUsernameUpdate/, 'the user name is the provider’s to show; no send depends on it'],
  [/security_pin_reset|payment_configuration/, 'a setting at the provider that no operation reads'],
  [/history|smb_app_state_sync/, 'the past and the address book of a phone: never imported without the company’s wish'],
  [/group_(lifecycle|participants)/, 'groups themselves are not kept; their messages are, apart from private ones'],
  [/value_errors/, 'an error without a message: there is nothing it could be shown at'],
  [/call_status_call_status|call_terminate/, 'a call that the business makes, which the product does not do'],
  [/^shopify-compliance-/, 'compliance is taken at the receiver of a connection alone (S18)'],
  [/^shopify-(customers-create|customers_marketing_consent)/, 'a customer without a phone is no contact'],
  [/^shopify-customers-merge/, 'names accounts of the shop, which contacts do not have'],
  [/^shopify-(disputes|draft_orders|inventory_levels|product_listings)-/, 'not an order, a product or a cart of a customer'],
  [/^shopify-webhook-(bulk_operations|carts|collections|inventory_items|order_transactions)-/, 'not an order, a product or a checkout'],
  [/^shopify-rest-.*(refund|webhook-subscription)\.json$|^shopify-webhook-refunds/, 'the order that follows carries its refunded state'],
  [/^shopify-webhook-orders-(delete|edited)/, 'the order that is cancelled or changed comes whole under orders/updated'],
  [
    /^woocommerce-(coupon|customer|order-refund|product-category)/,
    'the order carries customer and refunded state; the rest is no order or product',
  ],
  [/^woocommerce-product-variation/, 'a variation is a part of its product'],
  [/^woocommerce-webhook-(error|ping)/, 'an error page or a ping of the shop, not an event'],
  [/^aftership-returns/, 'a return is not a delivery'],
  [/^cashfree-payment-failed/, 'a failed payment: neither a cart nor a parcel'],
  [/^shyplite/, 'the status is a number without a published meaning'],
];

export const ignoredReason = (file: string): string | undefined => ignoredSamples.find(([name]) => name.test(file))?.[1];
