import * as z from 'zod';
import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { readReply } from '../domain/setup-reply.ts';

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-profiles */
const providerProfile = z.looseObject({
  about: z.string().optional(),
  address: z.string().optional(),
  description: z.string().optional(),
  email: z.string().optional(),
  websites: z.array(z.string()).optional(),
  vertical: z.string().optional(),
  profile_picture_url: z.string().optional(),
});
export type ProviderProfile = z.output<typeof providerProfile>;

const read = z.looseObject({ data: z.array(providerProfile) }).transform(({ data }): ProviderProfile => data[0] ?? {});
const changed = z.looseObject({ success: z.boolean().optional() });

export const getBusinessProfile = async (number: SendingNumber): Promise<SetupReply<ProviderProfile>> =>
  readReply(
    await callProvider(number, {
      method: 'GET',
      path: pathOf(number),
      query: { fields: Object.keys(providerProfile.shape).join(',') },
      timeoutMs,
    }),
    read,
  );

/** What is not given stays. Repeating it changes nothing more. */
export const updateBusinessProfile = async (
  number: SendingNumber,
  changes: Omit<ProviderProfile, 'profile_picture_url'>,
): Promise<SetupReply<z.output<typeof changed>>> =>
  readReply(
    await callProvider(number, { method: 'POST', path: pathOf(number), body: { messaging_product: 'whatsapp', ...changes }, timeoutMs }),
    changed,
  );

const timeoutMs = 10_000;
const pathOf = ({ phoneNumberId }: SendingNumber): string[] => [phoneNumberId, 'whatsapp_business_profile'];
