import { send as enqueue } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { isEmailOfUser } from '../../account/service/logins.ts';
import { getStoredProfile, signInCompanyId } from '../../account/service/stored-profiles.ts';
import type { ProviderPayload } from '../../messaging/contract/content.ts';
import { sendCodeMessage } from '../../messaging/service/send-code.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { codesQueue } from '../contract/work.ts';
import { linkComponents } from '../domain/link-template.ts';
import { codeEmail } from '../domain/code-email.ts';
import { selectTemplate } from '../domain/code-template.ts';
import { describeRequest } from '../domain/request-origin.ts';
import { isBegun, withResult } from '../domain/request-result.ts';
import { parseSettings } from '../domain/settings.ts';
import { sendMail } from '../gateway/mail.ts';
import { claimSend, getRequest, releaseSend } from '../store/request.ts';
import { getRequestBudget } from '../store/request-budget.ts';
import { type CodeTemplate, listCodeTemplates } from '../store/template.ts';
import { recordUndelivered } from './code-delivery.ts';
import { requestBudgetIdOf } from './finish-request.ts';
import { deriveLinkToken, unsealValue } from './secrets.ts';

export interface SendCodeCommand {
  companyId: number;
  requestId: string;
  /** Which message of the request, from 1. */
  send: number;
  channel: 'whatsapp' | 'email';
}

/**
 * `skipped`: another worker has claimed the send, or the request is over. `unsent`: proven not to have left. `postponed`: no send slot is
 * free, or the provider requires to wait; `isClaimed` says whether the claim has to be released.
 */
type SendOutcome = 'sent' | 'refused' | 'unsent' | 'skipped' | { status: 'postponed'; untilMs: number; isClaimed: boolean };

/**
 * Sends the code of a request. The send is claimed first, so that a queue message that arrives twice, late or out of order sends nothing
 * twice. An `unsent` code is tried again by the queue, unless a later message with the same code was claimed meanwhile; a refusal, or the
 * last try, fails the request as `delivery_failed`.
 */
export const sendCode = async (command: SendCodeCommand, attempt: number): Promise<void> => {
  const { companyId, requestId, send, channel } = command;
  if (!(await isSendPending(command))) return;
  const outcome = channel === 'email' ? await sendByEmail(command) : await sendByWhatsapp(command);
  if (outcome === 'sent' || outcome === 'skipped') return;
  if (typeof outcome === 'object') return requeue(command, outcome);
  if (outcome === 'unsent' && attempt < lastAttempt) {
    if (!(await releaseSend(companyId, requestId, send))) return;
    throw new Error('A code did not leave and will be tried again.');
  }
  await recordUndelivered(command);
};

/** Read before a send slot is reserved: most messages come a second time, from the change stream. 1 RRU; 2 for one to send. */
async function isSendPending({ companyId, requestId, send }: SendCodeCommand): Promise<boolean> {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending' || (request.claimedSend ?? 0) >= send) return false;
  if (!request.isDecidedByBudget) return true;
  const budget = await getRequestBudget(requestBudgetIdOf(request), { consistent: true });
  return isBegun(requestId, budget) && withResult(request, budget).status === 'pending';
}

/** Puts the command back on the queue. The claim of the next try refuses a request that is over by then. */
async function requeue(
  { companyId, requestId, send, channel }: SendCodeCommand,
  { untilMs, isClaimed }: { untilMs: number; isClaimed: boolean },
): Promise<void> {
  const message = { company_id: companyId, request_id: requestId, send, channel };
  if (isClaimed && !(await releaseSend(companyId, requestId, send))) return;
  await enqueue(codesQueue, [{ companyId, message, delaySeconds: Math.max(1, (untilMs - now()) / 1_000) }]);
}

/** One less than the queue's deliveries, so that the request fails before the queue gives its message up. */
const lastAttempt = codesQueue.maxReceives - 1;

interface ClaimedCode {
  request: StoredRequest;
  code: string;
  recipient: string;
}

/** Claims the send and unseals the code and its recipient; undefined when another worker has the claim. */
async function claimCode({ companyId, requestId, send }: SendCodeCommand): Promise<ClaimedCode | undefined> {
  const claimed = await claimSend(companyId, requestId, send, now());
  if (!claimed.done || claimed.item.sealedCode === undefined) return undefined;
  const request = claimed.item;
  const [code, recipient] = await Promise.all([
    unsealValue(requestId, 'code', claimed.item.sealedCode),
    unsealValue(requestId, 'identifier', request.sealedIdentifier),
  ]);
  return { request, code, recipient };
}

async function sendByWhatsapp(command: SendCodeCommand): Promise<SendOutcome> {
  const { companyId, requestId, send } = command;
  const number = await getActiveNumber(companyId);
  if (!number || number.isSuspended) return (await claimCode(command)) ? 'refused' : 'skipped';
  const sent = await sendCodeMessage(number, { companyId, requestId, send }, async () => {
    const claimed = await claimCode(command);
    return claimed && { phone: claimed.recipient.slice(1), payload: await composeWhatsapp(claimed) };
  });
  if (sent === undefined) return 'skipped';
  if (sent.outcome === 'waits' || sent.outcome === 'later')
    return { status: 'postponed', untilMs: sent.untilMs, isClaimed: sent.outcome === 'later' };
  return toSendOutcome(sent.outcome);
}

/** An ambiguous send counts as sent: a second message may be a duplicate, and the customer can request a resend. */
const toSendOutcome = (outcome: 'accepted' | 'refused' | 'unsent' | 'ambiguous'): SendOutcome =>
  outcome === 'ambiguous' || outcome === 'accepted' ? 'sent' : outcome;

/** With a template for links the message carries the link, while the profile allows links; else the code. */
async function composeWhatsapp({ request, code }: ClaimedCode): Promise<ProviderPayload> {
  const template = await getCodeTemplate(request);
  if (!template?.link || !template.providerTemplate) return codePayload(code, template);
  const profile = await getStoredProfile(request.companyId, request.profileId);
  if (!parseSettings(profile?.settings ?? {}).magic_link.enabled) return codePayload(code, undefined);
  const suffix = `${request.id}/${await deriveLinkToken(request.companyId, request.id)}`;
  const components = linkComponents(template.link, { suffix, about: describeRequest(request, profile?.name ?? '').join(' ') });
  return { type: 'template', template: { name: template.providerTemplate, language: { code: template.language }, components } };
}

/**
 * An authentication template takes the code twice, in the body and for the copy button:
 * https://developers.facebook.com/docs/whatsapp/business-management-api/authentication-templates/copy-code-button-authentication-templates
 */
function codePayload(code: string, template: CodeTemplate | undefined) {
  const parameters = [{ type: 'text', text: code }];
  const components = [
    { type: 'body', parameters },
    { type: 'button', sub_type: 'url', index: '0', parameters },
  ];
  const name = template?.providerTemplate ?? 'verification_code';
  return { type: 'template', template: { name, language: { code: template?.language ?? 'en' }, components } };
}

async function sendByEmail(command: SendCodeCommand): Promise<SendOutcome> {
  const claimed = await claimCode(command);
  if (!claimed) return 'skipped';
  const { request, code, recipient } = claimed;
  const [profile, template] = await Promise.all([getStoredProfile(request.companyId, request.profileId), getCodeTemplate(request)]);
  if (profile?.companyStatus === 'suspended') return 'refused';
  // only here it shows who has an account: to the caller all addresses look alike
  if (request.companyId === signInCompanyId && !(await isEmailOfUser(recipient))) return 'sent';
  const { magic_link: magic } = parseSettings(profile?.settings ?? {});
  const base = optionalSetting('PUBLIC_BASE_URL');
  const link =
    magic.enabled && base !== undefined
      ? `${base}/api/v1/verification/magic/${request.id}/${await deriveLinkToken(request.companyId, request.id)}`
      : undefined;
  const minutes = Math.max(1, Math.round((request.expiresAt - now()) / 60_000));
  const name = profile?.name ?? '';
  const about = describeRequest(request, name).join(' ');
  const outcome = await sendMail({ to: recipient, ...codeEmail({ code, link, minutes, name, about }, template) });
  return toSendOutcome(outcome);
}

const getCodeTemplate = async ({ companyId, profileId, channel, purpose }: StoredRequest): Promise<CodeTemplate | undefined> =>
  selectTemplate(await listCodeTemplates(companyId, profileId), channel, purpose);
