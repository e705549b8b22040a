import type { BusinessNumber } from '../../account/service/numbers.ts';
import { configuredWebhookUrl, type Finding, evaluateWebhookUrl, evaluateNumber } from '../domain/number-setup.ts';
import { getProviderNumber, countSubscribedApps } from '../gateway/number-setup.ts';

export type { Finding } from '../domain/number-setup.ts';

/** Looks at a number from the provider's side, and changes nothing. */
export const inspectNumber = async (number: BusinessNumber): Promise<{ findings: Finding[]; address: string | undefined }> => {
  const [asked, subscriptions, appSecret] = await Promise.all([
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
    number: asked,
    subscriptions,
  });
  const unreadable: Finding = {
    level: 'wrong',
    message: 'The app secret cannot be opened with the sealing key.',
    remedy: 'Put the key it was sealed with back into "previous" of the sealing secret, or rotate the number’s secret.',
  };
  return {
    findings: appSecret.isReadable ? findings : [...findings, unreadable],
    address: asked.outcome === 'answered' ? configuredWebhookUrl(asked.value) : undefined,
  };
};

/** Knocks at the address that the provider calls, as a handshake that cannot succeed. */
export const probeWebhookUrl = async (address: string): Promise<Finding> => {
  const url = new URL(address);
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
