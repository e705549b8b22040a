import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { send as queueUp } from '../../../shared/queue/send.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { readProfile } from '../../account/service/profile-of-key.ts';
import { sendCodeMessage } from '../../messaging/service/provider-send.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { codesQueue } from '../contract/work.ts';
import { settingsOf } from '../domain/settings.ts';
import { wordingOf } from '../domain/wording.ts';
import { codeMail } from '../page.ts';
import { sendMail } from '../gateway/mail.ts';
import { claimSend, findRequest, releaseSend } from '../store/request.ts';
import { type CodeTemplate, findCodeTemplates } from '../store/template.ts';
import { undelivered } from './code-status.ts';
import { linkToken, openFor } from './secrets.ts';

export interface SendOrder {
  companyId: number;
  requestId: string;
  /** Which message of the request, from 1. */
  send: number;
  channel: 'whatsapp' | 'email';
}

/** `taken`: somebody else sends it, or it is over. A time: nobody was called, or the provider wants it later; `isClaimed` says which. */
type Fate = 'sent' | 'refused' | 'unsent' | 'taken' | { untilMs: number; isClaimed: boolean };

/**
 * Sends a code that was asked for: claimed first, so that a message delivered twice, late or out of order sends nothing twice. What
 * proved not to have left is tried again by the queue; a refusal, or the last try, ends the request as `delivery_failed` (V10).
 */
export const sendCode = async (order: SendOrder, attempt: number): Promise<void> => {
  const { companyId, requestId, send } = order;
  if (!(await isWanted(order))) return;
  const fate = order.channel === 'email' ? await byMail(order) : await byWhatsapp(order);
  if (fate === 'sent' || fate === 'taken') return;
  if (typeof fate === 'object') return later(order, fate);
  if (fate === 'unsent' && attempt < lastAttempt) {
    await releaseSend(companyId, requestId, send);
    throw new Error('A code did not leave and will be tried again.');
  }
  await undelivered(order);
};

/** Looked at before anything is booked for it: most messages come a second time, from the change stream. 1 RRU. */
async function isWanted({ companyId, requestId, send }: SendOrder): Promise<boolean> {
  const request = await findRequest(companyId, requestId, { consistent: true });
  return request?.status === 'pending' && (request.claimedSend ?? 0) < send;
}

/** Back to the queue. The claim holds it to the request's life: a code that is over is not sent. */
async function later({ companyId, requestId, send, channel }: SendOrder, { untilMs, isClaimed }: { untilMs: number; isClaimed: boolean }) {
  const message = { company_id: companyId, request_id: requestId, send, channel };
  if (isClaimed) await releaseSend(companyId, requestId, send);
  await queueUp(codesQueue, [{ companyId, message, delaySeconds: Math.max(1, (untilMs - now()) / 1_000) }]);
}

/** One less than the queue's deliveries, so that the end is written before the message is given up. */
const lastAttempt = codesQueue.maxReceives - 1;

/** Whoever has the claim sends; with it, the code and the person, opened. */
async function claim({ companyId, requestId, send }: SendOrder) {
  const claimed = await claimSend(companyId, requestId, send, now());
  if (!claimed.done || claimed.item.sealedCode === undefined) return undefined;
  const request = claimed.item;
  const [code, to] = await Promise.all([
    openFor(requestId, 'code', claimed.item.sealedCode),
    openFor(requestId, 'identifier', request.sealedIdentifier),
  ]);
  return { request, code, to };
}

async function byWhatsapp(order: SendOrder): Promise<Fate> {
  const { companyId, requestId } = order;
  const number = await activeNumber(companyId);
  const claimed = number ? undefined : await claim(order);
  if (!number) return claimed ? 'refused' : 'taken';
  const sent = await sendCodeMessage(number, { companyId, requestId, send: order.send }, async () => {
    const mine = await claim(order);
    return mine && { phone: mine.to.slice(1), payload: codePayload(mine.code, await wordingFor(mine.request)) };
  });
  if (sent === undefined) return 'taken';
  if (sent.outcome === 'waits' || sent.outcome === 'later') return { untilMs: sent.untilMs, isClaimed: sent.outcome === 'later' };
  return fateOf(sent.outcome);
}

/** Where nothing tells whether it left, the person may ask for it again: the system does not send it twice. */
const fateOf = (outcome: 'accepted' | 'refused' | 'unsent' | 'ambiguous'): Fate =>
  outcome === 'ambiguous' || outcome === 'accepted' ? 'sent' : outcome;

/** The provider's authentication template: the code twice, in the text and for the copy button (provider reference §1.6). */
function codePayload(code: string, wording: CodeTemplate | undefined) {
  const parameters = [{ type: 'text', text: code }];
  const components = [
    { type: 'body', parameters },
    { type: 'button', sub_type: 'url', index: '0', parameters },
  ];
  const name = wording?.providerTemplate ?? 'verification_code';
  return { type: 'template', template: { name, language: { code: wording?.language ?? 'en' }, components } };
}

async function byMail(order: SendOrder): Promise<Fate> {
  const claimed = await claim(order);
  if (!claimed) return 'taken';
  const { request, code, to } = claimed;
  const [profile, wording] = await Promise.all([readProfile(request.companyId, request.profileId), wordingFor(request)]);
  const { magic_link: magic } = settingsOf(profile?.settings ?? {});
  const base = optionalSetting('PUBLIC_BASE_URL');
  const link =
    magic.enabled && base !== undefined
      ? `${base}/api/v1/verification/magic/${request.id}/${await linkToken(request.companyId, request.id)}`
      : undefined;
  const minutes = Math.max(1, Math.round((request.expiresAt - now()) / 60_000));
  const outcome = await sendMail({ to, ...codeMail({ code, link, minutes, name: profile?.name ?? '' }, wording) });
  return fateOf(outcome);
}

const wordingFor = async ({ companyId, profileId, channel, purpose }: StoredRequest): Promise<CodeTemplate | undefined> =>
  wordingOf(await findCodeTemplates(companyId, profileId), channel, purpose);
