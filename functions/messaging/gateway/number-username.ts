import * as z from 'zod';
import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { readReply } from '../domain/setup-reply.ts';

/** Without a username where the number has none. https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids */
const providerUsername = z.looseObject({ username: z.string().optional(), status: z.string().optional() });
export type ProviderUsername = z.output<typeof providerUsername>;

export const getUsername = async (number: SendingNumber): Promise<SetupReply<ProviderUsername>> =>
  readReply(await callProvider(number, { method: 'GET', path: pathOf(number), timeoutMs }), providerUsername);

/** Repeating it changes nothing more. `isTakeover`: from another number of the same portfolio. */
export const setUsername = async (number: SendingNumber, username: string, isTakeover: boolean): Promise<SetupReply<ProviderUsername>> =>
  readReply(
    await callProvider(number, {
      method: 'POST',
      path: pathOf(number),
      body: { username, transfer_action: isTakeover ? 'force_transfer' : 'none' },
      timeoutMs,
    }),
    providerUsername,
  );

export const deleteUsername = async (number: SendingNumber): Promise<SetupReply<ProviderUsername>> =>
  readReply(await callProvider(number, { method: 'DELETE', path: pathOf(number), timeoutMs }), providerUsername);

const timeoutMs = 10_000;
const pathOf = ({ phoneNumberId }: SendingNumber): string[] => [phoneNumberId, 'username'];
