import type { BusinessNumber } from '../../account/service/numbers.ts';
import { configuredWebhookUrl, type Finding, evaluateWebhookUrl, evaluateNumber } from '../domain/number-setup.ts';
import { getProviderNumber, countSubscribedApps } from '../gateway/number-setup.ts';

/** Checks a number's setup at the provider. Read only. */
export const inspectNumber = async (number: BusinessNumber): Promise<{ findings: Finding[]; webhookUrl: string | undefined }> => {
  const [reply, subscriptions, appSecret] = await Promise.all([
    getProviderNumber(number, number.phoneNumberId),
    countSubscribedApps(number, number.wabaId),
    number.appSecret().then(
      (secret) => ({ isReadable: true, secret }),
      () => ({ isReadable: false, secret: undefined }),
    ),
  ]);
  const findings = evaluateNumber({
    phone: number.phone,
    hasAppSecret: !appSecret.isReadable || appSecret.secret !== undefined,
    number: reply,
    subscriptions,
  });
  const unreadable: Finding = {
    level: 'wrong',
    message: 'The app secret cannot be opened with the sealing key.',
    remedy: 'Put the key it was sealed with back into "previous" of the sealing secret, or rotate the number’s secret.',
  };
  return {
    findings: appSecret.isReadable ? findings : [...findings, unreadable],
    webhookUrl: reply.outcome === 'answered' ? configuredWebhookUrl(reply.value) : undefined,
  };
};

/** Probes a webhook URL with a handshake that cannot succeed: the answer shows whether the URL is this product's. */
export const probeWebhookUrl = async (webhookUrl: string): Promise<Finding> => {
  const url = new URL(webhookUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', '1');
  url.searchParams.set('hub.verify_token', 'not the token');
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'manual' });
    const body: unknown = await answer.json().catch(() => undefined);
    const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
    return evaluateWebhookUrl({ status: answer.status, code });
  } catch {
    return evaluateWebhookUrl(undefined);
  }
};
