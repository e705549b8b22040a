import { readForReceiver } from '../../../shared/access/receiver.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { getOwnApp } from '../../account/service/company-apps.ts';
import { getHolder, getSharedApp } from '../../account/service/provider-apps.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';
import { isSignedByApp, maxPostBytes } from '../domain/provider-post.ts';
import { splitWebhookPayload } from '../domain/webhook-payload.ts';
import { archiveUpdate } from './archive-update.ts';
import { queueUpdates } from './queue-updates.ts';
import type { Handshake, WebhookPost } from './receive-webhook.ts';

/** The provider's handshake with the receiver of an app: its token is the verify token too. */
export const verifyAppWebhook = (urlToken: string, query: Handshake): string | Problem<'handshake_failed'> =>
  query['hub.mode'] === 'subscribe' && sameSecret(urlToken, query['hub.verify_token'] ?? '')
    ? (query['hub.challenge'] ?? '')
    : problem('handshake_failed');

/**
 * Receives a webhook of an app, which several companies share or one has. The app's secret signs all of it, so the signature says nothing about whose an
 * update is: each goes to the company that holds the number that it names, or else the account, under this app. What no company holds is archived for the
 * operator, and reaches no company; an app of one company brings nothing to another, whatever its posts name. One app of the provider has one URL for most fields, whatever its accounts have: docs/decisions/provider-apps.md.
 */
export const receiveAppWebhook = async (
  appId: string,
  { caller, raw, signature, countUnsigned }: WebhookPost,
): Promise<{ updates: number } | Problem<'not_found' | 'invalid_signature' | 'invalid_json' | 'payload_too_large' | 'rate_limited'>> => {
  if (raw.length > maxPostBytes) return problem('payload_too_large', { details: { max_bytes: maxPostBytes } });
  // 0: shared
  const { companyId: ownerId } = caller;
  const readSecret = async (): Promise<string | undefined> =>
    (await (ownerId === noCompany ? getSharedApp(appId) : getOwnApp(ownerId, appId)))?.secret();
  // a secret that was replaced meanwhile is read before a post is refused
  const secret = await readForReceiver(caller, 'secret', readSecret, (held) => held !== undefined && isSignedByApp(raw, held, signature));
  if (secret === undefined) return problem('not_found');
  if (!isSignedByApp(raw, secret, signature)) {
    const limited = await countUnsigned();
    if (limited) return limited;
    return problem('invalid_signature', signature === undefined ? { message: 'The header X-Hub-Signature-256 is missing.' } : {});
  }
  const updates = splitWebhookPayload(noCompany, raw.toString('utf8'), now());
  if (updates === undefined) return problem('invalid_json');
  const holderOf = (id: string): Promise<Holder> =>
    readForReceiver(
      caller,
      `holder of ${id}`,
      async () => {
        const holder = await getHolder(appId, id);
        return ownerId === noCompany || holder?.companyId === ownerId ? holder : undefined;
      },
      // one that was connected meanwhile is read before an update is kept aside
      (held) => held !== undefined,
    );
  const routed = await Promise.all(updates.map(async (update) => toHolder(update, await holderOfUpdate(update, holderOf))));
  const unheld = updates.filter((_, index) => routed[index] === undefined);
  if (unheld.length > 0) await archiveForOperator(appId, unheld);
  await queueUpdates(routed.filter((update) => update !== undefined));
  return { updates: updates.length };
};

/** The deployment itself: what is stored under it is of no company. */
const noCompany = 0;

type Holder = Awaited<ReturnType<typeof getHolder>>;

/** A number decides alone: it may move between accounts. */
const holderOfUpdate = (
  { phone_number_id: numberId, business_account_id: accountId }: ProviderUpdate,
  holderOf: (id: string) => Promise<Holder>,
): Promise<Holder> => {
  const id = numberId ?? accountId;
  return id === undefined ? Promise.resolve(undefined) : holderOf(id);
};

const toHolder = (update: ProviderUpdate, holder: Holder): ProviderUpdate | undefined => {
  if (!holder) return undefined;
  const { companyId: company_id, numberId } = holder;
  return numberId === undefined || update.update.kind === 'status'
    ? { ...update, company_id }
    : { ...update, company_id, number_id: numberId };
};

async function archiveForOperator(appId: string, updates: readonly ProviderUpdate[]): Promise<void> {
  const ids = updates.map(({ phone_number_id: number, business_account_id: account }) => number ?? account ?? 'none');
  log.warn('A webhook of an app names a number or an account that no company holds under it', {
    provider_ids: [`app ${appId}`, ...new Set(ids)].slice(0, 20).join(', '),
    count: updates.length,
  });
  metric('ForeignUpdates', 'Count', updates.length);
  const archived = updates.map(({ phone_number_id, business_account_id, update }) => ({ phone_number_id, business_account_id, update }));
  await archiveUpdate({ company_id: noCompany, received_at: now() }, 'foreign', archived);
}
