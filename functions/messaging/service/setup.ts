import type { BusinessNumber } from '../../account/service/numbers.ts';
import { calledAddress, type Finding, judgeAddress, judgeNumber } from '../domain/setup.ts';
import { askNumber, askSubscriptions } from '../gateway/setup.ts';

export type { Finding } from '../domain/setup.ts';

/** Looks at a number from the provider's side, and changes nothing. */
export const inspectNumber = async (number: BusinessNumber): Promise<{ findings: Finding[]; address: string | undefined }> => {
  const [asked, subscriptions, appSecret] = await Promise.all([
    askNumber(number, number.phoneNumberId),
    askSubscriptions(number, number.wabaId),
    number.appSecret().then(
      (secret) => ({ isReadable: true, secret }),
      () => ({ isReadable: false, secret: undefined }),
    ),
  ]);
  const findings = judgeNumber({
    phone: number.phone,
    hasAppSecret: !appSecret.isReadable || appSecret.secret !== undefined,
    number: asked,
    subscriptions,
  });
  const unreadable: Finding = {
    level: 'wrong',
    says: 'The app secret cannot be opened with the sealing key.',
    remedy: 'Put the key it was sealed with back into "previous" of the sealing secret, or rotate the number’s secret.',
  };
  return {
    findings: appSecret.isReadable ? findings : [...findings, unreadable],
    address: asked.outcome === 'answered' ? calledAddress(asked.value) : undefined,
  };
};

/** Knocks at the address that the provider calls, as a handshake that cannot succeed. */
export const knock = async (address: string): Promise<Finding> => {
  const url = new URL(address);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', '1');
  url.searchParams.set('hub.verify_token', 'not the token');
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'manual' });
    const body: unknown = await answer.json().catch(() => undefined);
    const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
    return judgeAddress({ status: answer.status, code });
  } catch {
    return judgeAddress(undefined);
  }
};
