import { readForReceiver } from '../../../shared/access/receiver.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { getNameableApp } from '../../account/service/company-apps.ts';
import { listBusinessNumbers } from '../../account/service/numbers.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';
import { splitWebhookPayload } from '../domain/webhook-payload.ts';
import { archiveUpdate } from './archive-update.ts';
import { isSignedByApp, maxPostBytes } from '../domain/provider-post.ts';
import { queueUpdates } from './queue-updates.ts';

export interface Handshake {
  'hub.mode'?: string | undefined;
  'hub.challenge'?: string | undefined;
  'hub.verify_token'?: string | undefined;
}

/** The provider's handshake: the challenge, when the verify token is a number's or the token of the URL itself. */
export const verifyWebhook = async (
  companyId: number,
  urlToken: string,
  query: Handshake,
): Promise<string | Problem<'handshake_failed'>> => {
  const offered = query['hub.verify_token'] ?? '';
  const checks = [
    sameSecret(urlToken, offered),
    ...(await listBusinessNumbers(companyId)).map((number) => number.matchesVerifyToken(offered)),
  ];
  const matches = checks.includes(true);
  return query['hub.mode'] === 'subscribe' && matches ? (query['hub.challenge'] ?? '') : problem('handshake_failed');
};

export interface WebhookPost {
  caller: Principal;
  raw: Buffer;
  signature: string | undefined;
  /** Counts a post without a valid signature (G12). */
  countUnsigned: () => Promise<Problem<'rate_limited'> | undefined>;
}

/** What posts are checked against: the app secrets of the company's numbers and of the apps that they name, and the numbers and accounts themselves. */
interface ReceiverNumbers {
  secrets: string[];
  /** By the provider's id. */
  numberIds: ReadonlyMap<string, number>;
  accountIds: ReadonlySet<string>;
}

async function readNumbers(companyId: number): Promise<ReceiverNumbers> {
  const numbers = await listBusinessNumbers(companyId);
  const appIds = [...new Set(numbers.map(({ appId }) => appId).filter((id) => id !== undefined))];
  const secrets = await Promise.all([
    ...numbers.map((number) => number.appSecret()),
    ...appIds.map(async (id) => (await getNameableApp(companyId, id))?.secret()),
  ]);
  return {
    secrets: secrets.filter((secret) => secret !== undefined),
    numberIds: new Map(numbers.map(({ phoneNumberId, id }) => [phoneNumberId, id])),
    accountIds: new Set(numbers.map(({ wabaId }) => wabaId)),
  };
}

/**
 * Whether an update is about a number or an account that is not the company's (A50). One app of the provider may serve several companies,
 * so a valid signature does not say whose number it is. A number decides alone: it may move between accounts.
 */
const isForeign = ({ phone_number_id, business_account_id }: ProviderUpdate, { numberIds, accountIds }: ReceiverNumbers): boolean =>
  phone_number_id === undefined
    ? business_account_id !== undefined && !accountIds.has(business_account_id)
    : !numberIds.has(phone_number_id);

/**
 * Receives a webhook: checks the signature over the raw bytes when the company has an app secret, sets updates of foreign numbers aside, then
 * queues the others. Nothing else happens before the answer, which the provider expects within seconds.
 */
export const receiveWebhook = async ({
  caller,
  raw,
  signature,
  countUnsigned,
}: WebhookPost): Promise<{ updates: number } | Problem<'invalid_signature' | 'invalid_json' | 'payload_too_large' | 'rate_limited'>> => {
  if (raw.length > maxPostBytes) return problem('payload_too_large', { details: { max_bytes: maxPostBytes } });
  const { companyId } = caller;
  const updates = splitWebhookPayload(companyId, raw.toString('utf8'), now());
  const isSignedByOneOf = ({ secrets }: ReceiverNumbers): boolean =>
    secrets.map((secret) => isSignedByApp(raw, secret, signature)).includes(true);
  // numbers that were added meanwhile are read before a post is refused or kept aside
  const suffices = (held: ReceiverNumbers): boolean => isSignedByOneOf(held) && !updates?.some((update) => isForeign(update, held));
  const numbers = await readForReceiver(caller, 'numbers', () => readNumbers(companyId), suffices);
  if (!isSignedByOneOf(numbers)) {
    const limited = await countUnsigned();
    if (limited) return limited;
    if (numbers.secrets.length > 0)
      return problem('invalid_signature', signature === undefined ? { message: 'The header X-Hub-Signature-256 is missing.' } : {});
  }
  if (updates === undefined) return problem('invalid_json');
  if (numbers.secrets.length === 0) for (const update of updates) update.is_unsigned = true;
  const foreign = updates.filter((update) => isForeign(update, numbers));
  if (foreign.length > 0) await setForeignAside(companyId, foreign);
  const own = updates.filter((update) => !foreign.includes(update)).map((update) => withNumber(update, numbers));
  await queueUpdates(own);
  return { updates: updates.length };
};

/** The number is known here already, so that no worker has to look for it. */
const withNumber = (update: ProviderUpdate, { numberIds }: ReceiverNumbers): ProviderUpdate => {
  const numberId = update.phone_number_id === undefined ? undefined : numberIds.get(update.phone_number_id);
  return numberId === undefined || update.update.kind === 'status' ? update : { ...update, number_id: numberId };
};

/** Updates about numbers of others: stored whole and counted, so that no contact and no message comes of them. */
async function setForeignAside(companyId: number, foreign: readonly ProviderUpdate[]): Promise<void> {
  log.warn('A webhook names a number or an account that is not the company’s', { company_id: companyId, count: foreign.length });
  metric('ForeignUpdates', 'Count', foreign.length);
  const updates = foreign.map(({ phone_number_id, business_account_id, update }) => ({ phone_number_id, business_account_id, update }));
  await archiveUpdate({ company_id: companyId, received_at: now() }, 'foreign', updates);
}
