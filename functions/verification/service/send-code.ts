import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { send as queueUp } from '../../../shared/queue/send.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { getStoredProfile } from '../../account/service/stored-profiles.ts';
import { sendCodeMessage } from '../../messaging/service/send-code.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { codesQueue } from '../contract/work.ts';
import { parseSettings } from '../domain/settings.ts';
import { selectTemplate } from '../domain/code-template.ts';
import { codeMail } from '../page.ts';
import { sendMail } from '../gateway/mail.ts';
import { claimSend, getRequest, releaseSend } from '../store/request.ts';
import { type CodeTemplate, listCodeTemplates } from '../store/template.ts';
import { recordUndelivered } from './code-delivery.ts';
import { deriveLinkToken, unsealValue } from './secrets.ts';

export interface SendCodeCommand {
  companyId: number;
  requestId: string;
  /** Which message of the request, from 1. */
  send: number;
  channel: 'whatsapp' | 'email';
}

/** `taken`: somebody else sends it, or it is over. A time: nobody was called, or the provider wants it later; `isClaimed` says which. */
type SendOutcome = 'sent' | 'refused' | 'unsent' | 'taken' | { untilMs: number; isClaimed: boolean };

/**
 * Sends a code that was asked for: claimed first, so that a message delivered twice, late or out of order sends nothing twice. What
 * proved not to have left is tried again by the queue; a refusal, or the last try, ends the request as `delivery_failed` (V10).
 */
export const sendCode = async (order: SendCodeCommand, attempt: number): Promise<void> => {
  const { companyId, requestId, send } = order;
  if (!(await isSendPending(order))) return;
  const fate = order.channel === 'email' ? await sendByEmail(order) : await sendByWhatsapp(order);
  if (fate === 'sent' || fate === 'taken') return;
  if (typeof fate === 'object') return requeue(order, fate);
  if (fate === 'unsent' && attempt < lastAttempt) {
    await releaseSend(companyId, requestId, send);
    throw new Error('A code did not leave and will be tried again.');
  }
  await recordUndelivered(order);
};

/** Looked at before anything is booked for it: most messages come a second time, from the change stream. 1 RRU. */
async function isSendPending({ companyId, requestId, send }: SendCodeCommand): Promise<boolean> {
  const request = await getRequest(companyId, requestId, { consistent: true });
  return request?.status === 'pending' && (request.claimedSend ?? 0) < send;
}

/** Back to the queue. The claim holds it to the request's life: a code that is over is not sent. */
async function requeue(
  { companyId, requestId, send, channel }: SendCodeCommand,
  { untilMs, isClaimed }: { untilMs: number; isClaimed: boolean },
) {
  const message = { company_id: companyId, request_id: requestId, send, channel };
  if (isClaimed) await releaseSend(companyId, requestId, send);
  await queueUp(codesQueue, [{ companyId, message, delaySeconds: Math.max(1, (untilMs - now()) / 1_000) }]);
}

/** One less than the queue's deliveries, so that the end is written before the message is given up. */
const lastAttempt = codesQueue.maxReceives - 1;

/** Whoever has the claim sends; with it, the code and the person, opened. */
async function claimCode({ companyId, requestId, send }: SendCodeCommand) {
  const claimed = await claimSend(companyId, requestId, send, now());
  if (!claimed.done || claimed.item.sealedCode === undefined) return undefined;
  const request = claimed.item;
  const [code, to] = await Promise.all([
    unsealValue(requestId, 'code', claimed.item.sealedCode),
    unsealValue(requestId, 'identifier', request.sealedIdentifier),
  ]);
  return { request, code, to };
}

async function sendByWhatsapp(order: SendCodeCommand): Promise<SendOutcome> {
  const { companyId, requestId } = order;
  const number = await getActiveNumber(companyId);
  const claimed = number ? undefined : await claimCode(order);
  if (!number) return claimed ? 'refused' : 'taken';
  const sent = await sendCodeMessage(number, { companyId, requestId, send: order.send }, async () => {
    const mine = await claimCode(order);
    return mine && { phone: mine.to.slice(1), payload: codePayload(mine.code, await getCodeTemplate(mine.request)) };
  });
  if (sent === undefined) return 'taken';
  if (sent.outcome === 'waits' || sent.outcome === 'later') return { untilMs: sent.untilMs, isClaimed: sent.outcome === 'later' };
  return toSendOutcome(sent.outcome);
}

/** Where nothing tells whether it left, the person may ask for it again: the system does not send it twice. */
const toSendOutcome = (outcome: 'accepted' | 'refused' | 'unsent' | 'ambiguous'): SendOutcome =>
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

async function sendByEmail(order: SendCodeCommand): Promise<SendOutcome> {
  const claimed = await claimCode(order);
  if (!claimed) return 'taken';
  const { request, code, to } = claimed;
  const [profile, wording] = await Promise.all([getStoredProfile(request.companyId, request.profileId), getCodeTemplate(request)]);
  const { magic_link: magic } = parseSettings(profile?.settings ?? {});
  const base = optionalSetting('PUBLIC_BASE_URL');
  const link =
    magic.enabled && base !== undefined
      ? `${base}/api/v1/verification/magic/${request.id}/${await deriveLinkToken(request.companyId, request.id)}`
      : undefined;
  const minutes = Math.max(1, Math.round((request.expiresAt - now()) / 60_000));
  const outcome = await sendMail({ to, ...codeMail({ code, link, minutes, name: profile?.name ?? '' }, wording) });
  return toSendOutcome(outcome);
}

const getCodeTemplate = async ({ companyId, profileId, channel, purpose }: StoredRequest): Promise<CodeTemplate | undefined> =>
  selectTemplate(await listCodeTemplates(companyId, profileId), channel, purpose);
