import { createHmac } from 'node:crypto';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { issueWebhookToken, listMachineCredentials, revokeMachineCredential } from '../../account/service/machine-tokens.ts';
import { type BusinessNumber, listBusinessNumbers } from '../../account/service/numbers.ts';
import type { Finding } from '../contract/finding.ts';
import { failedCall, missingFields, type SetupReply } from '../domain/number-setup.ts';
import { webhookFields } from '../domain/webhook-fields.ts';
import { getProviderNumber, getSubscribedApps, registerPhone, subscribeApp, subscribeFields } from '../gateway/number-setup.ts';
import { findApp } from './inspect-number.ts';

export interface ConnectOptions {
  /** The whole address of the receiver of messaging webhooks, for a token. */
  webhookUrl: (token: string) => string;
  /** Of two-step verification: needed for a number that is not registered yet. */
  pin?: string | undefined;
}

export interface ProviderConnection {
  webhookTokenId: number;
  /** Earlier tokens of this number. They stay valid, because the provider repeats what it posted to them; revoke them a day later. */
  formerTokenIds: number[];
  isRegistered: boolean;
  findings: Finding[];
}

/** What is wrong, in the form of a finding; nothing is connected. */
export interface NotConnected {
  refused: Finding;
}

/**
 * Has the provider send the webhooks of a number's account here, under a URL of its own, so that one app of the provider serves many companies:
 * registers the phone where it is not, subscribes the app to the account and to every field that is applied, and posts a signed test to the URL.
 * Repeatable: each time the account gets a new URL.
 */
export const connectAtProvider = async (
  companyId: number,
  numberId: number,
  { webhookUrl, pin }: ConnectOptions,
): Promise<ProviderConnection | NotConnected | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const number = (await listBusinessNumbers(companyId)).find(({ id }) => id === numberId);
  if (!number) return problem('not_found');
  const secret = await number.appSecret();
  if (secret === undefined)
    return refused('The number has no app secret, so that its webhooks could not be checked.', 'numbers rotate-secret --app-secret-file.');
  const registration = await register(number, pin);
  if (registration) return registration;

  const former = await listMachineCredentials(companyId, 'webhook_token');
  if (isProblem(former)) return former;
  const issued = await issueWebhookToken(companyId, { receiver: 'messaging', name: tokenName(numberId) });
  if (isProblem(issued)) return issued;
  const url = webhookUrl(issued.secret);
  const subscribed = await subscribeApp(number, number.wabaId, { url, verifyToken: issued.secret });
  if (subscribed.outcome !== 'answered') {
    await revokeMachineCredential(companyId, 'webhook_token', issued.token.id);
    return notConnected(subscribed);
  }
  const findings = [...(await ensureFields(number, secret, url)), await postSignedTest(url, secret)];
  return {
    webhookTokenId: Number(issued.token.id),
    formerTokenIds: former.filter(({ name, status }) => name === tokenName(numberId) && status === 'active').map(({ id }) => Number(id)),
    isRegistered: pin !== undefined,
    findings: [{ level: 'ok', message: 'The provider sends the webhooks of the account to a URL of its own.' }, ...findings],
  };
};

const tokenName = (numberId: number): string => `number ${numberId}`;

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

/**
 * Subscribes the app to the fields that it lacks. Its own URL stays: that of another system is not taken away, and the URL of a company that was
 * connected first ends in its verify token.
 */
async function ensureFields(number: BusinessNumber, secret: string, url: string): Promise<Finding[]> {
  const apps = await getSubscribedApps(number, number.wabaId);
  if (apps.outcome !== 'answered') return [failedCall(apps)];
  const ours = apps.value.filter(({ overrideUrl }) => overrideUrl === url);
  const app = await findApp(number, ours.length > 0 ? ours : apps.value, secret);
  if (!app) return [byHand(webhookFields)];
  if (app.reply.outcome !== 'answered') return [wrongSecret];
  const missing = missingFields(app.reply.value);
  if (missing.length === 0) return [allFields];
  const callback = app.reply.value?.callbackUrl || url;
  if (baseOf(callback) !== baseOf(url)) return [byHand(missing)];
  const fields = [...new Set([...(app.reply.value?.fields ?? []), ...webhookFields])];
  const verifyToken = callback.slice(baseOf(callback).length);
  const subscribed = await subscribeFields(number, { id: app.id, secret }, { url: callback, verifyToken, fields });
  return [subscribed.outcome === 'answered' ? allFields : byHand(missing)];
}

const allFields: Finding = { level: 'ok', message: 'The app is subscribed to every field that is applied.' };
const wrongSecret: Finding = {
  level: 'wrong',
  message: 'The stored app secret is not that of the app of the access token: webhooks will be refused.',
  remedy: 'numbers rotate-secret with the app secret from the provider’s app settings.',
};
const byHand = (fields: readonly string[]): Finding => ({
  level: 'wrong',
  message: `The app is not subscribed to ${fields.join(', ')}.`,
  remedy: 'Subscribe to them in the app’s webhook settings.',
});

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

function notConnected(reply: Exclude<SetupReply<true>, { outcome: 'answered' }>): NotConnected {
  return reply.outcome === 'refused' && reply.code === 2200
    ? refused('The provider could not verify the webhook URL.', 'It must be reachable from the internet by https.')
    : { refused: failedCall(reply) };
}

const refused = (message: string, remedy: string): NotConnected => ({ refused: { level: 'wrong', message, remedy } });
