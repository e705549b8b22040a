import { createHmac } from 'node:crypto';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { getNameableApp, isAppOfAnother } from '../../account/service/company-apps.ts';
import {
  issueWebhookToken,
  listMachineCredentials,
  revokeMachineCredential,
  webhookTokenOwner,
} from '../../account/service/machine-tokens.ts';
import { type BusinessNumber, listBusinessNumbers } from '../../account/service/numbers.ts';
import { claimNumber, type ReceivingApp } from '../../account/service/provider-apps.ts';
import { scheduleAccountCheck } from '../../templates/service/schedule-account-check.ts';
import type { Finding } from '../contract/finding.ts';
import { type AppSubscription, failedCall, missingFields, type SetupReply } from '../domain/number-setup.ts';
import { isFormerField, webhookFields } from '../domain/webhook-fields.ts';
import {
  getAppId,
  getAppSubscription,
  getNumbersOfAccount,
  getProviderNumber,
  registerPhone,
  removeNumberOverride,
  subscribeApp,
  subscribeAppWithOverride,
  subscribeFields,
} from '../gateway/number-setup.ts';

export interface ConnectOptions {
  /** The whole address of the receiver of messaging webhooks, for a token. */
  webhookUrl: (token: string) => string;
  /** Of two-step verification: needed for a number that is not registered yet. */
  pin?: string | undefined;
}

export interface ProviderConnection {
  /** The token of the company's own webhook URL; undefined: the app is a record, of the company or shared, and its URL stays. */
  webhookTokenId: number | undefined;
  /** Earlier tokens of this number. They stay valid, because the provider repeats for a week what it posted to them; revoke them eight days later. */
  formerTokenIds: number[];
  isRegistered: boolean;
  findings: Finding[];
}

/** What is wrong, in the form of a finding; nothing is connected. */
export interface NotConnected {
  refused: Finding;
}

type Connected = ProviderConnection | NotConnected | Problem<'not_found' | 'validation_failed' | 'conflict'>;

/**
 * Has the provider send the webhooks of a number and its account here: registers the phone where it is not, subscribes the app to the account and to every
 * field that is applied, and posts a signed test. Most fields go to the URL of the app, whatever URL an account has, so the app's is set, and those of
 * the account and the number are taken away. An app that is a record, of the company or of the deployment, keeps its receiver, and the
 * number is routed from it (docs/decisions/provider-apps.md); any other app gets a new URL of the company each time. Repeatable.
 */
export const connectAtProvider = async (companyId: number, numberId: number, { webhookUrl, pin }: ConnectOptions): Promise<Connected> => {
  const number = (await listBusinessNumbers(companyId)).find(({ id }) => id === numberId);
  if (!number) return problem('not_found');
  const app = await getAppId(number);
  if (app.outcome !== 'answered') return { refused: failedCall(app) };
  const other = await otherApp(number, app.value);
  if (other) return other;
  const receiving = await getNameableApp(companyId, app.value);
  const secret = receiving ? await receiving.secret() : await number.appSecret();
  if (secret === undefined)
    return refused('The number has no app secret, so that its webhooks could not be checked.', 'numbers rotate-secret --app-secret-file.');
  const registration = await register(number, pin);
  if (registration) return registration;
  const former = await listMachineCredentials(companyId, 'webhook_token');
  if (isProblem(former)) return former;
  const ofNumber = former.filter(({ name, status }) => name === tokenName(numberId) && status === 'active');
  const connection = {
    formerTokenIds: ofNumber.map(({ id }) => Number(id)),
    isRegistered: pin !== undefined,
  };
  const subscription = await getAppSubscription(number, { id: app.value, secret });
  // only the app's own secret reads it
  if (subscription.outcome === 'refused') return { refused: wrongSecret };
  if (subscription.outcome !== 'answered') return { refused: failedCall(subscription) };
  const access = { id: app.value, secret, subscription: subscription.value };
  const connected = receiving
    ? await connectReceivingApp(number, access, { receiving, webhookUrl })
    : await connectOwnApp(number, access, webhookUrl);
  if (isProblem(connected) || 'refused' in connected) return connected;
  await scheduleAccountCheck(companyId);
  return { ...connection, ...connected };
};

interface AppInUse {
  id: string;
  secret: string;
  /** What it is subscribed to before; undefined: nothing yet. */
  subscription: AppSubscription | undefined;
}
type Part = Pick<ProviderConnection, 'webhookTokenId' | 'findings'> | NotConnected;

const tokenName = (numberId: number): string => `number ${numberId}`;

/** The access token is of an app that the number cannot be connected under. */
async function otherApp({ companyId, appId }: BusinessNumber, tokenAppId: string): Promise<NotConnected | undefined> {
  if (appId !== undefined && appId !== tokenAppId)
    return refused(
      `The access token is of the app ${tokenAppId}, and the number names the app ${appId}.`,
      'Give the number an access token of that app, or another app_id.',
    );
  return (await isAppOfAnother(companyId, tokenAppId))
    ? refused(
        'The app is another company’s of this deployment, and its URL receives for that company alone.',
        'Use an app of your own; or that company deletes it, and the operator shares it: apps add.',
      )
    : undefined;
}

/** Routes the number and its account from the receiver of the app, once the company's access token has shown that it holds them. */
async function connectReceivingApp(
  number: BusinessNumber,
  app: AppInUse,
  { receiving, webhookUrl }: { receiving: ReceivingApp; webhookUrl: ConnectOptions['webhookUrl'] },
): Promise<Part> {
  const numbers = await getNumbersOfAccount(number, number.wabaId);
  if (numbers.outcome !== 'answered') return { refused: failedCall(numbers) };
  if (!numbers.value.includes(number.phoneNumberId))
    return refused('The number is none of the account.', 'Compare phone number id and WABA id with those in the provider’s manager.');
  if (!(await claimNumber(app.id, number)))
    return refused('The account is connected to another company of this deployment.', 'Each account belongs to one company.');
  const { token } = await receiving.receiver();
  const url = webhookUrl(token);
  const set = await setAppUrl(number, app, { url, verifyToken: token });
  if (set) return { refused: set };
  const subscribed = await clearOverrides(number);
  if (subscribed) return { refused: subscribed };
  return {
    webhookTokenId: undefined,
    findings: [
      { level: 'ok', message: `The app ${receiving.name} sends the webhooks of the account here.` },
      await postSignedTest(url, app.secret),
    ],
  };
}

/** Gives the company's app a new URL of the company. */
async function connectOwnApp(
  number: BusinessNumber,
  app: AppInUse,
  webhookUrl: ConnectOptions['webhookUrl'],
): Promise<Part | Problem<'not_found' | 'validation_failed' | 'conflict'>> {
  const { companyId } = number;
  const callback = app.subscription?.callbackUrl ?? '';
  const isOurs = baseOf(callback) === baseOf(webhookUrl('-'));
  const owner = isOurs ? await webhookTokenOwner(callback.slice(baseOf(callback).length)) : undefined;
  if (owner !== undefined && owner !== companyId)
    return refused(
      'The app sends its webhooks to another company of this deployment, and an app has one URL.',
      'The operator shares the app: apps add. Then numbers connect again, of both companies.',
    );
  const issued = await issueWebhookToken(companyId, { receiver: 'messaging', name: tokenName(number.id) });
  if (isProblem(issued)) return issued;
  const target = { url: webhookUrl(issued.secret), verifyToken: issued.secret };
  const failed = callback === '' || isOurs ? await connectWhole(number, app, target) : await connectBesideAnother(number, target);
  if (failed && 'refused' in failed) {
    await revokeMachineCredential(companyId, 'webhook_token', issued.token.id);
    return failed;
  }
  return {
    webhookTokenId: Number(issued.token.id),
    findings: [...(failed ?? [allFields]), await postSignedTest(target.url, app.secret)],
  };
}

/** The app's URL first, so that nothing is posted to none in between. */
async function connectWhole(number: BusinessNumber, app: AppInUse, target: Callback): Promise<NotConnected | undefined> {
  const failed = (await setAppUrl(number, app, target)) ?? (await clearOverrides(number));
  return failed && { refused: failed };
}

/** The URL of the app is that of another system, and is not taken away: messages come to a URL of the account, everything else goes there. */
async function connectBesideAnother(number: BusinessNumber, target: Callback): Promise<NotConnected | Finding[]> {
  const subscribed = await subscribeAppWithOverride(number, number.wabaId, target);
  if (subscribed.outcome !== 'answered') return { refused: notVerified(subscribed) };
  return [
    { level: 'ok', message: 'The provider sends the messages of the account to a URL of its own.' },
    {
      level: 'wrong',
      message: 'The app sends its webhooks to another system: states of templates, restrictions and stops of marketing do not come here.',
      remedy: 'Use an app of its own for this product, or set the app’s webhook URL to this product’s; then numbers connect again.',
    },
  ];
}

interface Callback {
  url: string;
  verifyToken: string;
}

/** Subscribes the app under the URL to what it was subscribed to and to every field that is applied. Undefined: done. */
async function setAppUrl(number: BusinessNumber, app: AppInUse, target: Callback): Promise<Finding | undefined> {
  const { callbackUrl = '', fields = [] } = app.subscription ?? {};
  if (callbackUrl === target.url && missingFields(app.subscription).length === 0) return undefined;
  const wanted = [...new Set([...fields.filter((field) => !isFormerField(field)), ...webhookFields])];
  const subscribed = await subscribeFields(number, app, { ...target, fields: wanted });
  return subscribed.outcome === 'answered' ? undefined : notVerified(subscribed);
}

/** Subscribes the app to the account, whose webhooks and the number's go to the app's URL from then on. Undefined: done. */
async function clearOverrides(number: BusinessNumber): Promise<Finding | undefined> {
  const subscribed = await subscribeApp(number, number.wabaId);
  if (subscribed.outcome !== 'answered') return failedCall(subscribed);
  const state = await getProviderNumber(number, number.phoneNumberId);
  if (state.outcome !== 'answered') return failedCall(state);
  if (!state.value.webhook_configuration?.phone_number) return undefined;
  const removed = await removeNumberOverride(number, number.phoneNumberId);
  return removed.outcome === 'answered' ? undefined : failedCall(removed);
}

/** Registers the number if a PIN is given; refuses one that is not registered without. */
async function register(number: BusinessNumber, pin: string | undefined): Promise<NotConnected | undefined> {
  const reply = pin === undefined ? await getProviderNumber(number, number.phoneNumberId) : undefined;
  if (reply && reply.outcome !== 'answered') return { refused: failedCall(reply) };
  const status = reply?.value.status;
  if (pin === undefined && status !== undefined && status !== 'CONNECTED')
    return refused(
      `The number is ${status} at the provider: it is not registered.`,
      'numbers connect with --pin, six digits of your choice.',
    );
  if (pin === undefined) return undefined;
  if (!/^\d{6}$/.test(pin)) return refused('The PIN is not six digits.', 'numbers connect with --pin 482916, for example.');
  const registered = await registerPhone(number, number.phoneNumberId, pin);
  if (registered.outcome === 'answered') return undefined;
  return registered.outcome === 'refused' && registered.code === 133005
    ? refused('The provider does not take the PIN.', 'Give the PIN of the number’s two-step verification.')
    : { refused: failedCall(registered) };
}

const allFields: Finding = { level: 'ok', message: 'The app sends the webhooks of the account here, of every field that is applied.' };
const wrongSecret: Finding = {
  level: 'wrong',
  message: 'The stored app secret is not that of the app of the access token: webhooks would be refused.',
  remedy: 'numbers rotate-secret with the app secret from the provider’s app settings.',
};

/** The URL up to its token. */
const baseOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1);

/** Posts a webhook without updates to the URL, signed as the provider signs: shows that it is reachable and takes the signature. */
async function postSignedTest(url: string, secret: string): Promise<Finding> {
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  const answer = await guardedFetch(url, { method: 'POST', headers, body, timeoutMs: 10_000, maxBytes: 10_000, cut: true });
  const status = answer.outcome === 'answered' ? answer.status : undefined;
  return status === 200
    ? { level: 'ok', message: 'The webhook URL takes a signed test.' }
    : {
        level: 'wrong',
        message: `The webhook URL ${status === undefined ? 'does not answer' : `answers ${status}`} to a signed test.`,
        remedy: 'Look into the log of messaging-webhook; then numbers connect again.',
      };
}

const notVerified = (reply: Exclude<SetupReply<true>, { outcome: 'answered' }>): Finding =>
  reply.outcome === 'refused' && reply.code === 2200
    ? refused('The provider could not verify the webhook URL.', 'It must be reachable from the internet by https.').refused
    : failedCall(reply);

const refused = (message: string, remedy: string): NotConnected => ({ refused: { level: 'wrong', message, remedy } });
