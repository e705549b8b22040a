import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { jsonOf } from '../../../shared/runtime/json.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import { getNameableApp, isAppOfAnother } from '../../account/service/company-apps.ts';
import type { ReceivingApp } from '../../account/service/provider-apps.ts';
import type { Finding } from '../contract/finding.ts';
import {
  type AppSubscription,
  configuredWebhookUrls,
  evaluateWebhookUrl,
  evaluateNumber,
  type SetupReply,
  type SubscribedApp,
} from '../domain/number-setup.ts';
import { evaluateVersions } from '../domain/provider-version.ts';
import { getAppSubscription, getProviderNumber, getSubscribedApps } from '../gateway/number-setup.ts';

export interface NumberInspection {
  findings: Finding[];
  /** About the provider's versions that the number uses; none where the provider did not answer. */
  versions: Finding[];
  webhookUrls: string[];
}

/** Checks a number's setup at the provider. Read only. */
export const inspectNumber = async (number: BusinessNumber): Promise<NumberInspection> => {
  const [reply, subscriptions, ownSecret] = await Promise.all([
    getProviderNumber(number, number.phoneNumberId),
    getSubscribedApps(number, number.wabaId),
    number.appSecret().then(
      (secret) => ({ isReadable: true, secret }),
      () => ({ isReadable: false, secret: undefined }),
    ),
  ]);
  const apps = subscriptions.outcome === 'answered' ? subscriptions.value : [];
  const receiving = await receivingAppOf(number, apps);
  const appSecret = receiving ? { isReadable: true, secret: await receiving.secret() } : ownSecret;
  const app = appSecret.secret === undefined ? undefined : await findApp(number, apps, appSecret.secret);
  const findings = evaluateNumber({
    phone: number.phone,
    hasAppSecret: !appSecret.isReadable || appSecret.secret !== undefined,
    number: reply,
    subscriptions,
    ...(app === undefined ? {} : { app: app.reply }),
  });
  const unreadable: Finding = {
    level: 'wrong',
    message: 'The app secret cannot be opened with the sealing key.',
    remedy: 'Put the key it was sealed with back into "previous" of the sealing secret, or rotate the number’s secret.',
  };
  return {
    findings: [
      ...findings,
      ...(appSecret.isReadable ? [] : [unreadable]),
      ...(subscriptions.outcome === 'answered' ? await evaluateApps(number, apps) : []),
    ],
    versions:
      reply.outcome === 'answered'
        ? evaluateVersions({ requested: number.version, served: reply.served, webhooks: webhookVersionOf(app?.reply) }, now())
        : [],
    webhookUrls: reply.outcome === 'answered' ? configuredWebhookUrls(reply.value) : [],
  };
};

const webhookVersionOf = (reply: SetupReply<AppSubscription | undefined> | undefined): string | undefined =>
  reply?.outcome === 'answered' ? reply.value?.version : undefined;

/** The first app with a receiver of its own, the company's or a shared one, of those that are subscribed. */
async function receivingAppOf({ companyId }: BusinessNumber, apps: readonly SubscribedApp[]): Promise<ReceivingApp | undefined> {
  for (const { id } of apps) {
    const receiving = id === undefined ? undefined : await getNameableApp(companyId, id);
    if (receiving) return receiving;
  }
  return undefined;
}

/** What is wrong with the apps of an account: one of another company, and none that the number names. */
async function evaluateApps({ companyId, appId }: BusinessNumber, apps: readonly SubscribedApp[]): Promise<Finding[]> {
  const ids = apps.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ofAnother = await Promise.all(ids.map(async (id) => ((await isAppOfAnother(companyId, id)) ? [id] : [])));
  return [
    ...ofAnother.flat().map(
      (id): Finding => ({
        level: 'wrong',
        message: `The app ${id} is another company’s of this deployment: what it posts about the account reaches no company.`,
        remedy: 'Take it from the account at the provider, and connect the number with an app of your own.',
      }),
    ),
    ...(appId === undefined || ids.includes(appId)
      ? []
      : [
          {
            level: 'wrong',
            message: `The number names the app ${appId}, which is not subscribed to its account.`,
            remedy: 'numbers connect with an access token of that app, or another app_id.',
          } satisfies Finding,
        ]),
  ];
}

/** The app of a secret among those that are subscribed; the last refusal if it is none's; undefined: no app names its id. */
export const findApp = async (
  number: BusinessNumber,
  apps: readonly SubscribedApp[],
  secret: string,
): Promise<{ id: string; reply: SetupReply<AppSubscription | undefined> } | undefined> => {
  let found: { id: string; reply: SetupReply<AppSubscription | undefined> } | undefined;
  for (const { id } of apps) {
    if (id === undefined) continue;
    found = { id, reply: await getAppSubscription(number, { id, secret }) };
    if (found.reply.outcome === 'answered') return found;
  }
  return found;
};

/** Probes a webhook URL with a handshake that cannot succeed: the answer shows whether the URL is this product's. */
export const probeWebhookUrl = async (webhookUrl: string): Promise<Finding> => {
  if (!URL.canParse(webhookUrl)) return evaluateWebhookUrl(undefined);
  const url = new URL(webhookUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', '1');
  url.searchParams.set('hub.verify_token', 'not the token');
  // an admin of the company sets the URL at the provider, so it may name any host
  const answer = await guardedFetch(url.href, { timeoutMs: 10_000, maxBytes: 10_000, cut: true });
  if (answer.outcome !== 'answered') return evaluateWebhookUrl(undefined);
  const body = problemBody.safeParse(jsonOf(answer.body));
  return evaluateWebhookUrl({ status: answer.status, code: body.data?.code });
};

const problemBody = z.looseObject({ code: z.string() });
