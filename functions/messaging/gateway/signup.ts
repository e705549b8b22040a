import * as z from 'zod';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { readReply } from '../domain/setup-reply.ts';

/** The app of a signup, which calls with its id and secret. */
export interface SignupAppAccess {
  id: string;
  secret: string;
  version: string;
}

/** What a token of a signup may do. */
export interface TokenGrant {
  appId: string | undefined;
  isValid: boolean;
  /** The accounts that the token manages; undefined: the provider names none, so it manages all that it reads. */
  accounts: string[] | undefined;
}

export interface AccountNumber {
  id: string;
  phone: string;
  isConnected: boolean;
  /** The number stays in the app on a phone too, which registers it. */
  isOnPhone: boolean;
}

const tokenAnswer = z.looseObject({ access_token: z.string().min(1) }).transform(({ access_token }) => access_token);
const manages = 'whatsapp_business_management';
const grantAnswer = z
  .looseObject({
    data: z.looseObject({
      app_id: z.coerce.string().optional(),
      is_valid: z.boolean().default(false),
      granular_scopes: z.array(z.looseObject({ scope: z.string(), target_ids: z.array(z.coerce.string()).optional() })).default([]),
    }),
  })
  .transform(({ data }): TokenGrant => {
    const scope = data.granular_scopes.find((each) => each.scope === manages);
    return { appId: data.app_id, isValid: data.is_valid, accounts: scope ? scope.target_ids : [] };
  });
const numbersAnswer = z
  .looseObject({
    data: z.array(
      z.looseObject({
        id: z.coerce.string(),
        display_phone_number: z.string().default(''),
        status: z.string().optional(),
        is_on_biz_app: z.boolean().optional(),
      }),
    ),
  })
  .transform(({ data }) =>
    data.map(
      ({ id, display_phone_number, status, is_on_biz_app }): AccountNumber => ({
        id,
        phone: display_phone_number,
        isConnected: status === 'CONNECTED',
        isOnPhone: is_on_biz_app === true,
      }),
    ),
  );

/**
 * The access token for a code of the provider's dialog, which is good once and for about half a minute.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/embedded-signup/onboarding-customers-as-a-tech-provider
 */
export const getTokenOfCode = async (app: SignupAppAccess, code: string): Promise<SetupReply<string>> =>
  readReply(
    await callProvider(asApp(app), {
      method: 'GET',
      path: ['oauth', 'access_token'],
      query: { client_id: app.id, client_secret: app.secret, code },
      timeoutMs,
    }),
    tokenAnswer,
  );

/** Which accounts a token was granted, by the provider and not by what a browser says. */
export const getTokenGrant = async (app: SignupAppAccess, token: string): Promise<SetupReply<TokenGrant>> =>
  readReply(
    await callProvider(asApp(app), { method: 'GET', path: ['debug_token'], query: { input_token: token }, timeoutMs }),
    grantAnswer,
  );

/** The numbers of an account, with what a signup has to know of each. */
export const getSignupNumbers = async (access: ProviderAccess, wabaId: string): Promise<SetupReply<AccountNumber[]>> =>
  readReply(
    await callProvider(access, {
      method: 'GET',
      path: [wabaId, 'phone_numbers'],
      query: { fields: 'id,display_phone_number,status,is_on_biz_app', limit: '1000' },
      timeoutMs,
    }),
    numbersAnswer,
  );

const timeoutMs = 8_000;

const asApp = ({ id, secret, version }: SignupAppAccess): ProviderAccess => ({
  version,
  baseUrl: undefined,
  accessToken: () => Promise.resolve(`${id}|${secret}`),
});
