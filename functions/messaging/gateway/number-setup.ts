import * as z from 'zod';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';
import { readReply } from '../domain/setup-reply.ts';
import { type AppSubscription, type ProviderNumber, providerNumber, type SetupReply, type SubscribedApp } from '../domain/number-setup.ts';

const subscriptions = z
  .looseObject({
    data: z.array(
      z.looseObject({
        override_callback_uri: z.string().optional(),
        whatsapp_business_api_data: z.looseObject({ id: z.string().optional() }).optional(),
      }),
    ),
  })
  .transform(({ data }) => data.map((each) => ({ id: each.whatsapp_business_api_data?.id, overrideUrl: each.override_callback_uri })));
const appSubscriptions = z
  .looseObject({
    data: z.array(
      z.looseObject({
        object: z.string(),
        callback_url: z.string().optional(),
        fields: z.array(z.union([z.string(), z.looseObject({ name: z.string(), version: z.string().optional() })])).default([]),
      }),
    ),
  })
  .transform(({ data }): AppSubscription | undefined => {
    const found = data.find(({ object }) => object === accountObject);
    return (
      found && {
        callbackUrl: found.callback_url ?? '',
        fields: found.fields.map((field) => (typeof field === 'string' ? field : field.name)),
        version: found.fields
          .flatMap((field) => (typeof field === 'string' || field.version === undefined ? [] : [field.version]))
          .toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))[0],
      }
    );
  });
const appId = z.looseObject({ id: z.string() }).transform(({ id }) => id);
const numbersOfAccount = z
  .looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
  .transform(({ data }) => data.map(({ id }) => id));
const done = z.looseObject({ success: z.boolean().optional() }).transform(() => true as const);
const accountObject = 'whatsapp_business_account';

export const getProviderNumber = (access: ProviderAccess, phoneNumberId: string): Promise<SetupReply<ProviderNumber>> =>
  getFromProvider(access, [phoneNumberId], { fields: Object.keys(providerNumber.shape).join(',') }, providerNumber);

/** The apps that are subscribed to the account. */
export const getSubscribedApps = (access: ProviderAccess, wabaId: string): Promise<SetupReply<SubscribedApp[]>> =>
  getFromProvider(access, [wabaId, 'subscribed_apps'], {}, subscriptions);

/** The app that the access token belongs to. */
export const getAppId = (access: ProviderAccess): Promise<SetupReply<string>> => getFromProvider(access, ['app'], { fields: 'id' }, appId);

/** The ids of the numbers of an account. */
export const getNumbersOfAccount = (access: ProviderAccess, wabaId: string): Promise<SetupReply<string[]>> =>
  getFromProvider(access, [wabaId, 'phone_numbers'], { fields: 'id', limit: '1000' }, numbersOfAccount);

/** Subscribes the app of the access token to an account, and takes away the account's own webhook URL: everything goes to that of the app. */
export const subscribeApp = (access: ProviderAccess, wabaId: string): Promise<SetupReply<true>> =>
  postToProvider(access, [wabaId, 'subscribed_apps'], undefined);

/**
 * Subscribes the app of the access token to an account, with a webhook URL of the account's own, which only messages and calls follow. The provider
 * calls the URL with the verify token before it answers.
 */
export const subscribeAppWithOverride = (
  access: ProviderAccess,
  wabaId: string,
  { url, verifyToken }: Callback,
): Promise<SetupReply<true>> =>
  postToProvider(access, [wabaId, 'subscribed_apps'], { override_callback_uri: url, verify_token: verifyToken });

/** Takes away the number's own webhook URL. */
export const removeNumberOverride = (access: ProviderAccess, phoneNumberId: string): Promise<SetupReply<true>> =>
  postToProvider(access, [phoneNumberId], { webhook_configuration: { override_callback_uri: '' } });

/** Registers the number for sending. The PIN becomes its two-step verification, or is the one that it has. */
export const registerPhone = (access: ProviderAccess, phoneNumberId: string, pin: string): Promise<SetupReply<true>> =>
  postToProvider(access, [phoneNumberId, 'register'], { messaging_product: 'whatsapp', pin });

/** What an app is subscribed to. `app`: its id and its secret, which are its access token. */
export const getAppSubscription = (access: ProviderAccess, app: AppAccess): Promise<SetupReply<AppSubscription | undefined>> =>
  getFromProvider(asApp(access, app), [app.id, 'subscriptions'], {}, appSubscriptions);

/** Subscribes an app to fields under its own URL, in place of what it was subscribed to. */
export const subscribeFields = (
  access: ProviderAccess,
  app: AppAccess,
  { url, verifyToken, fields }: Callback & { fields: readonly string[] },
): Promise<SetupReply<true>> =>
  postToProvider(asApp(access, app), [app.id, 'subscriptions'], {
    object: accountObject,
    callback_url: url,
    verify_token: verifyToken,
    fields: fields.join(','),
  });

interface AppAccess {
  id: string;
  secret: string;
}
interface Callback {
  url: string;
  verifyToken: string;
}

const asApp = (access: ProviderAccess, { id, secret }: AppAccess): ProviderAccess => ({
  version: access.version,
  baseUrl: access.baseUrl,
  accessToken: () => Promise.resolve(`${id}|${secret}`),
});

/** The provider calls a webhook URL before it answers. */
const postTimeoutMs = 30_000;

async function postToProvider(access: ProviderAccess, path: readonly string[], body: unknown): Promise<SetupReply<true>> {
  return readReply(await callProvider(access, { method: 'POST', path, body, timeoutMs: postTimeoutMs }), done);
}

async function getFromProvider<T>(
  access: ProviderAccess,
  path: readonly string[],
  query: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
): Promise<SetupReply<T>> {
  return readReply(await callProvider(access, { method: 'GET', path, query, timeoutMs: 10_000 }), schema);
}
