import * as z from 'zod';
import type { CustomerUpdate } from '../contract/platform-event.ts';
import { instant, optionalObject, optionalText } from './payload.ts';
import type { PlatformWebhook } from './platform-webhook.ts';
import { address } from './storeplatform-order.ts';

const customerShape = z.object({
  id: optionalText,
  phone: optionalText,
  sms_marketing_phone: optionalText,
  email: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  updated_at: instant,
  default_address: address,
  sms_marketing_consent: optionalObject({ state: optionalText, consent_updated_at: instant }),
});

/** A customer without a phone is no contact of ours. Only a withdrawn consent counts: a box that was never ticked withdraws nothing. */
export function normalizeCustomer({ body, receivedAt }: PlatformWebhook): CustomerUpdate | undefined {
  const read = customerShape.parse(body);
  const phone = read.phone ?? read.sms_marketing_phone ?? read.default_address?.phone;
  if (read.id === undefined || phone === undefined) return undefined;
  const name = [read.first_name, read.last_name].filter((part) => part !== undefined).join(' ');
  const consent = read.sms_marketing_consent;
  return {
    kind: 'customer',
    source: 'storeplatform',
    externalId: read.id,
    phone,
    phoneCountry: read.default_address?.country_code,
    name: name || undefined,
    email: read.email,
    ...(consent?.state === 'unsubscribed' ? { isUnsubscribed: true as const } : {}),
    at: consent?.consent_updated_at ?? read.updated_at ?? receivedAt,
  };
}
