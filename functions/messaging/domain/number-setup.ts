import * as z from 'zod';
import { healthStatus, type HealthStatus, toHealth } from '../../account/contract/health.ts';
import type { Finding } from '../contract/finding.ts';
import { webhookFields } from './webhook-fields.ts';

/** A number's settings at the provider. https://developers.facebook.com/docs/graph-api/reference/whats-app-business-phone-number */
export const providerNumber = z.looseObject({
  display_phone_number: z.string().optional(),
  verified_name: z.string().optional(),
  code_verification_status: z.string().optional(),
  quality_rating: z.string().optional(),
  status: z.string().optional(),
  name_status: z.string().optional(),
  health_status: healthStatus.optional().catch(undefined),
  webhook_configuration: z
    .looseObject({
      phone_number: z.string().optional(),
      whatsapp_business_account: z.string().optional(),
      application: z.string().optional(),
    })
    .optional(),
});
export type ProviderNumber = z.output<typeof providerNumber>;

/** An app that is subscribed to an account. */
export interface SubscribedApp {
  id: string | undefined;
  /** Where the account's webhooks go in place of the app's own URL. */
  overrideUrl: string | undefined;
}

/** What an app is subscribed to, with its own URL; undefined: nothing yet. */
export interface AppSubscription {
  callbackUrl: string;
  fields: string[];
  /** The oldest version in which a field comes; undefined: the provider named none. */
  version?: string | undefined;
}

/** The provider's answer to a call. */
export type SetupReply<T> =
  /** `served`: the version of the provider's API that answered; undefined: it named none. */
  | { outcome: 'answered'; value: T; served?: string }
  | { outcome: 'refused'; status: number; code: number | undefined; subcode: number | undefined }
  | { outcome: 'unreachable' }
  /** The response is not the provider's. */
  | { outcome: 'unreadable'; status: number };

export interface NumberSetup {
  /** The stored number: digits with country code. */
  phone: string;
  hasAppSecret: boolean;
  number: SetupReply<ProviderNumber>;
  subscriptions: SetupReply<SubscribedApp[]>;
  /** Of the app whose secret is stored; undefined: it was not read. */
  app?: SetupReply<AppSubscription | undefined>;
}

/** The webhook URLs that the provider calls for the number: its own and the account's for some fields, the app's for all others. */
export const configuredWebhookUrls = (number: ProviderNumber): string[] => {
  const { phone_number, whatsapp_business_account, application } = number.webhook_configuration ?? {};
  return [...new Set([phone_number, whatsapp_business_account, application].filter((url) => url !== undefined && url !== ''))] as string[];
};

export const evaluateNumber = ({ phone, hasAppSecret, number, subscriptions, app }: NumberSetup): Finding[] => {
  if (number.outcome !== 'answered') return [failedCall(number)];
  const { value } = number;
  return [
    { level: 'ok', message: `The provider takes the access token and knows the number as "${value.verified_name ?? '?'}".` },
    ...findingUnless(value.display_phone_number === undefined || digits(value.display_phone_number) === phone, {
      level: 'wrong',
      message: `The provider's phone number id belongs to ${value.display_phone_number}, not to ${phone}.`,
      remedy: 'numbers update with the right --phone, or deactivate the number and add it again with its own id.',
    }),
    ...findingUnless(value.status === undefined || value.status === 'CONNECTED', {
      level: 'wrong',
      message: `The number is ${value.status} at the provider: it cannot send.`,
      remedy: 'numbers connect with --pin registers it; otherwise reconnect it in the provider’s manager.',
    }),
    ...findingUnless(value.code_verification_status !== 'NOT_VERIFIED' && value.code_verification_status !== 'EXPIRED', {
      level: 'doubtful',
      message: `The number's ownership is ${value.code_verification_status}.`,
      remedy: 'Verify it by SMS or call in the provider’s manager.',
    }),
    ...findingUnless(value.name_status !== 'DECLINED' && value.name_status !== 'EXPIRED', {
      level: 'doubtful',
      message: `The display name is ${value.name_status}.`,
      remedy: 'Hand in another display name in the provider’s manager.',
    }),
    ...findingUnless(value.quality_rating !== 'RED', {
      level: 'doubtful',
      message: 'The quality rating is RED: the provider may lower the limit or pause templates.',
      remedy: 'Send less marketing, and only to contacts that reply for it.',
    }),
    ...evaluateHealth(value.health_status),
    ...evaluateSubscriptions(subscriptions),
    ...(app === undefined ? [] : evaluateApp(app)),
    ...findingUnless(hasAppSecret, {
      level: 'doubtful',
      message: 'No app secret is set: webhooks are accepted on the token in their URL alone.',
      remedy: 'numbers rotate-secret with the app secret from the provider’s app settings.',
    }),
    ...evaluateWebhookUrls(value),
  ];
};

/** A finding about a webhook URL, by its answer to a handshake with a wrong verify token. */
export const evaluateWebhookUrl = (answer: { status: number; code: string | undefined } | undefined): Finding => {
  if (!answer)
    return {
      level: 'wrong',
      message: 'The webhook URL that the provider calls does not answer.',
      remedy: 'Compare it with the stack’s webhook base.',
    };
  if (answer.status === 403 && answer.code === 'handshake_failed')
    return { level: 'ok', message: 'The webhook URL that the provider calls is this product’s, and its token is known.' };
  if (answer.status === 404 || answer.status === 401)
    return {
      level: 'wrong',
      message: 'The webhook URL that the provider calls ends in a token that is not known here.',
      remedy: 'numbers connect gives the account a new URL.',
    };
  return {
    level: 'wrong',
    message: `The webhook URL that the provider calls answers ${answer.status}: it is not this product’s.`,
    remedy: 'numbers connect gives the account a URL of this product.',
  };
};

/** What the provider itself says may hold up messages, such as a missing payment method or an app that gets no messages. */
function evaluateHealth(status: HealthStatus | undefined): Finding[] {
  if (status === undefined) return [];
  const { canSend, reasons } = toHealth(status);
  if (canSend === 'AVAILABLE') return [{ level: 'ok', message: 'The provider lets the number send, with its account, business and app.' }];
  const level = canSend === 'BLOCKED' ? 'wrong' : 'doubtful';
  const effect = canSend === 'BLOCKED' ? 'blocks' : 'limits';
  const remedy = 'The account in the provider’s manager.';
  return reasons.length === 0
    ? [{ level, message: `The provider ${effect} sending.`, remedy }]
    : reasons.map(({ of, text, fix }) => ({ level, message: `The provider ${effect} sending (${of}): ${text}`, remedy: fix || remedy }));
}

function evaluateWebhookUrls({ webhook_configuration: urls = {} }: ProviderNumber): Finding[] {
  const override = urls.phone_number || urls.whatsapp_business_account;
  return [
    ...findingUnless(urls.application !== undefined && urls.application !== '', {
      level: 'wrong',
      message: override
        ? 'The app has no webhook URL: states of templates, restrictions and stops of marketing do not come in.'
        : 'The provider has no webhook URL for this number: nothing comes in.',
      remedy: 'numbers connect.',
    }),
    ...findingUnless(!override || override === urls.application, {
      level: 'doubtful',
      message: `The ${urls.phone_number ? 'number' : 'account'} has a webhook URL of its own: messages go there, and everything else to that of the app.`,
      remedy: 'numbers connect takes it away.',
    }),
  ];
}

function evaluateSubscriptions(subscriptions: SetupReply<readonly SubscribedApp[]>): Finding[] {
  if (subscriptions.outcome !== 'answered') return [failedCall(subscriptions)];
  return subscriptions.value.length > 0
    ? [{ level: 'ok', message: 'An app is subscribed to the business account.' }]
    : [
        {
          level: 'wrong',
          message: 'No app is subscribed to the business account: nothing comes in, not even statuses.',
          remedy: 'numbers connect.',
        },
      ];
}

/** Only the app's own secret reads what it is subscribed to, so the read also shows whether the stored one is right. */
function evaluateApp(app: SetupReply<AppSubscription | undefined>): Finding[] {
  if (app.outcome === 'refused')
    return [
      {
        level: 'wrong',
        message: 'The stored app secret is not that of an app which is subscribed to the account: webhooks are refused.',
        remedy: 'numbers rotate-secret with the app secret from the provider’s app settings.',
      },
    ];
  if (app.outcome !== 'answered') return [failedCall(app)];
  const missing = missingFields(app.value);
  return missing.length === 0
    ? [{ level: 'ok', message: 'The app is subscribed to every field that is applied.' }]
    : [
        {
          level: 'wrong',
          message: `The app is not subscribed to ${missing.join(', ')}: such updates do not come in.`,
          remedy: 'numbers connect, or subscribe to them in the app’s webhook settings.',
        },
      ];
}

export const missingFields = (app: AppSubscription | undefined): string[] =>
  webhookFields.filter((field) => !(app?.fields ?? []).includes(field));

export function failedCall(reply: Exclude<SetupReply<unknown>, { outcome: 'answered' }>): Finding {
  if (reply.outcome === 'unreachable')
    return {
      level: 'wrong',
      message: 'The provider does not answer from here.',
      remedy: 'Check the network, providerBaseUrl, and the number’s base_url.',
    };
  if (reply.outcome === 'unreadable')
    return {
      level: 'wrong',
      message: `The answer (${reply.status}) is not the provider’s.`,
      remedy: 'Check providerBaseUrl and the number’s base_url.',
    };
  if (reply.code === 190)
    return {
      level: 'wrong',
      message: reply.subcode === 463 ? 'The access token has expired.' : 'The provider does not take the access token.',
      remedy: 'numbers rotate-secret with a permanent token of a system user.',
    };
  if (reply.code === 10 || reply.code === 200 || reply.code === 3)
    return {
      level: 'wrong',
      message: 'The access token lacks a permission.',
      remedy: 'Give it whatsapp_business_messaging and whatsapp_business_management, and the business account as an asset.',
    };
  if (reply.code === 100)
    return {
      level: 'wrong',
      message: 'The provider knows no such number or account for this token.',
      remedy: 'Compare phone number id and WABA id with those in the provider’s manager.',
    };
  return {
    level: 'wrong',
    message: `The provider refuses with code ${reply.code ?? '?'} (HTTP ${reply.status}).`,
    remedy: 'Look the code up in the provider’s error codes, then check the number again.',
  };
}

const digits = (text: string): string => text.replace(/\D/g, '');

const findingUnless = (isFine: boolean, finding: Finding): Finding[] => (isFine ? [] : [finding]);
