import * as z from 'zod';
import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { readReply } from '../domain/setup-reply.ts';

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/conversational-components */
const components = z.looseObject({
  prompts: z.array(z.string()).default([]),
  commands: z.array(z.looseObject({ command_name: z.string(), command_description: z.string().default('') })).default([]),
});
export type ProviderAutomation = z.output<typeof components>;

const read = z
  .looseObject({ conversational_automation: components.optional() })
  .transform(({ conversational_automation: set }): ProviderAutomation => set ?? { prompts: [], commands: [] });
const changed = z.looseObject({ success: z.boolean().optional() });

export const getAutomation = async (number: SendingNumber): Promise<SetupReply<ProviderAutomation>> =>
  readReply(
    await callProvider(number, {
      method: 'GET',
      path: [number.phoneNumberId],
      query: { fields: 'conversational_automation' },
      timeoutMs,
    }),
    read,
  );

/** Both lists as a whole: whether one that is left out stays, the provider does not say. Repeating it changes nothing more. */
export const setAutomation = async (
  number: SendingNumber,
  { prompts, commands }: ProviderAutomation,
): Promise<SetupReply<z.output<typeof changed>>> =>
  readReply(
    await callProvider(number, {
      method: 'POST',
      path: [number.phoneNumberId, 'conversational_automation'],
      body: { prompts, commands },
      timeoutMs,
    }),
    changed,
  );

const timeoutMs = 10_000;
