import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { deliveriesQueue } from '../contract/delivery.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { isNoticeTopic, readNotice } from '../domain/platform-notice.ts';
import { signatureFromHeaders, signatureProblem, isSigned } from '../domain/signature.ts';
import { appCredentials } from '../gateway/storeplatform.ts';
import { getShopDomain } from '../store/connection.ts';

/**
 * Receives the compliance webhooks that the platform posts to one URL for all stores, signed with the app's secret. A notice of a store
 * without a company, and any other signed topic, is acknowledged and ignored.
 */
export const receivePlatformNotice = async (
  raw: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<{ success: true; queued?: true; ignored?: true } | Problem<'invalid_signature' | 'invalid_json'>> => {
  const { secrets } = await appCredentials({ lifeMs: 1_000 });
  if (!isSigned(raw, secrets, signatureFromHeaders('storeplatform', headers))) return signatureProblem('storeplatform', headers);
  const body = parseExactJson(raw.toString('utf8'));
  if (body === undefined) return problem('invalid_json');
  const topic = (headers['x-shopify-topic'] ?? headers['shopify-topic'] ?? '').toLowerCase();
  const notice = isNoticeTopic(topic) ? readNotice(topic, body, now()) : undefined;
  const owner = notice && (await getShopDomain(notice.shop));
  if (!notice || !owner) return { success: true, ignored: true };
  const event = { ...notice, connectionId: owner.connectionId };
  const key = `compliance:${sha256(Buffer.concat([Buffer.from(`${topic}\n`), raw]))}`;
  await send(deliveriesQueue, [{ companyId: owner.companyId, message: { company_id: owner.companyId, key, event } }]);
  return { success: true, queued: true };
};
