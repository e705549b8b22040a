import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { newToken, tokenHash } from '../../../shared/access/token.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { type ProviderAppInput, providerAppInput, type ProviderAppSignupInput, providerAppSignupInput } from '../contract/provider-app.ts';
import * as store from '../store/provider-app.ts';
import { parseServiceInput } from './input.ts';
import { nameAppParts } from './named-app.ts';
import { type BusinessNumber, listBusinessNumbers } from './numbers.ts';

/** An app of the provider with a receiver of its own, as other contexts use it. docs/decisions/provider-apps.md */
export interface ReceivingApp {
  /** At the provider. */
  id: string;
  name: string;
  secret: () => Promise<string>;
  /** The token of its receiver, which is the verify token too. */
  receiver: () => Promise<{ token: string }>;
}

/** One that companies share. */
export interface SharedApp extends ReceivingApp {
  createdAt: number;
  /** By which the provider's dialog connects numbers; undefined: by none. */
  signup: { configurationId: string; hostedUrl?: string | undefined } | undefined;
}

/** Adds an app. Its receiver takes posts from then on; its numbers are routed once they are connected. */
export const addProviderApp = async (input: ProviderAppInput): Promise<SharedApp | Problem<'validation_failed' | 'conflict'>> => {
  const fields = parseServiceInput(providerAppInput, input);
  if (isProblem(fields)) return fields;
  const { app_id: appId, app_secret: secret, name } = fields;
  const token = newToken('webhook_token');
  const at = now();
  const app: store.ProviderApp = {
    appId,
    name,
    sealedSecret: await seal(secret, sealContext(appId, 'secret')),
    sealedReceiver: await seal(token, sealContext(appId, 'receiver')),
    receiverHash: tokenHash(token),
    createdAt: at,
    updatedAt: at,
  };
  if (await store.createProviderApp(app)) return toSharedApp(app);
  const owner = await store.getProviderHolder(appId);
  return problem('conflict', {
    message: owner
      ? `The app ${appId} is one of company ${owner.companyId}, which deletes it first (DELETE /apps/${appId}).`
      : `The app ${appId} is there already.`,
  });
};

export const listSharedApps = async (): Promise<SharedApp[]> => (await store.listProviderApps()).map(toSharedApp);

/** Undefined: the app is no company's but its own, or unknown. 0.5 RRU. */
export const getSharedApp = async (appId: string): Promise<SharedApp | undefined> => {
  const app = await store.getProviderApp(appId);
  return app && toSharedApp(app);
};

/** Replaces the secret. */
export const rotateProviderAppSecret = async (
  input: Omit<ProviderAppInput, 'name'>,
): Promise<SharedApp | Problem<'validation_failed' | 'not_found'>> => {
  const fields = parseServiceInput(providerAppInput.omit({ name: true }), input);
  if (isProblem(fields)) return fields;
  const { app_id: appId, app_secret: secret } = fields;
  if (!(await store.updateProviderAppSecret(appId, await seal(secret, sealContext(appId, 'secret')), now()))) return problem('not_found');
  const app = await store.getProviderApp(appId, { consistent: true });
  return app ? toSharedApp(app) : problem('not_found');
};

/** Lets companies connect their numbers by the provider's dialog, with this app. */
export const setProviderAppSignup = async (
  input: ProviderAppSignupInput,
): Promise<SharedApp | Problem<'validation_failed' | 'not_found' | 'conflict'>> => {
  const fields = parseServiceInput(providerAppSignupInput, input);
  if (isProblem(fields)) return fields;
  const { app_id: appId, configuration_id: configurationId, hosted_url: hostedUrl } = fields;
  const other = (await listSharedApps()).find(({ id, signup }) => id !== appId && signup !== undefined);
  if (other) return problem('conflict', { message: `Numbers are connected by the app ${other.id}: apps signup ${other.id} --off.` });
  return setSignup(appId, { configurationId, ...(hostedUrl === undefined ? {} : { hostedUrl }) });
};

/** Companies no longer connect numbers by the provider's dialog with this app. Those that are connected stay. */
export const removeProviderAppSignup = (appId: string): Promise<SharedApp | Problem<'not_found'>> => setSignup(appId, undefined);

/** The app with which companies connect their numbers by the provider's dialog; undefined: the deployment has none. One Query, 0.5 RRU. */
export const getSignupApp = async (): Promise<SharedApp | undefined> => (await listSharedApps()).find(({ signup }) => signup !== undefined);

async function setSignup(appId: string, signup: SharedApp['signup']): Promise<SharedApp | Problem<'not_found'>> {
  if (!(await store.updateProviderAppSignup(appId, signup, now()))) return problem('not_found');
  const app = await store.getProviderApp(appId, { consistent: true });
  return app ? toSharedApp(app) : problem('not_found');
}

/** Removes an app: its receiver is unknown from then on, within ten seconds. Repeating it is no error. */
export const removeProviderApp = async (appId: string): Promise<void> => {
  const app = await store.getProviderApp(appId, { consistent: true });
  if (app) await store.deleteProviderApp(app);
};

/**
 * Has the webhooks of an app about a number and its account come to the company, and the number name the app. The caller has seen that the company's
 * access token reads the account, and that the number is the account's. False: the account is another company's.
 */
export const claimNumber = async (
  appId: string,
  number: Pick<BusinessNumber, 'companyId' | 'id' | 'phoneNumberId' | 'wabaId' | 'appId'>,
): Promise<boolean> => {
  const { companyId, id, phoneNumberId, wabaId } = number;
  const claim = { companyId, appId, claimedAt: now() };
  return store.claimProviderIds(
    { ...claim, providerId: wabaId },
    { ...claim, providerId: phoneNumberId, numberId: id },
    number.appId === appId ? [] : await nameAppParts(number, appId),
  );
};

/**
 * Takes an account of a shared app, with its numbers, from the company that holds it, which another company can connect from then on. What the provider
 * posts meanwhile is kept for the operator. Repeating it is `not_found`.
 */
export const releaseAccount = async (
  appId: string,
  wabaId: string,
): Promise<{ companyId: number; released: string[] } | Problem<'not_found'>> => {
  const holder = await getHolder(appId, wabaId);
  if (!holder) return problem('not_found');
  const { companyId } = holder;
  const numbers = (await listBusinessNumbers(companyId)).filter((number) => number.wabaId === wabaId);
  // the account last: a release that was interrupted can be repeated
  const ids = [...numbers.map(({ phoneNumberId }) => phoneNumberId), wabaId];
  const released: string[] = [];
  for (const providerId of ids) if (await store.releaseProviderId({ providerId, companyId, appId })) released.push(providerId);
  return { companyId, released };
};

/** The company that holds a number or an account under an app. Undefined: none does. 0.5 RRU. */
export const getHolder = async (
  appId: string,
  providerId: string,
): Promise<{ companyId: number; numberId: number | undefined } | undefined> => {
  const holder = await store.getProviderHolder(providerId);
  return holder?.appId === appId ? { companyId: holder.companyId, numberId: holder.numberId } : undefined;
};

const toSharedApp = ({ appId, name, createdAt, signup, sealedSecret, sealedReceiver }: store.ProviderApp): SharedApp => ({
  id: appId,
  name,
  createdAt,
  signup,
  secret: () => unseal(sealedSecret, sealContext(appId, 'secret')),
  receiver: async () => ({ token: await unseal(sealedReceiver, sealContext(appId, 'receiver')) }),
});

const sealContext = (appId: string, what: string): string => `provider-app:${appId}:${what}`;
