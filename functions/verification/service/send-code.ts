import { send as enqueue } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { isEmailOfUser } from '../../account/service/logins.ts';
import { getStoredProfile, signInCompanyId, signInProfile } from '../../account/service/stored-profiles.ts';
import type { ProviderPayload } from '../../messaging/contract/content.ts';
import { isPhoneBlocked } from '../../contacts/service/find-by-identities.ts';
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
import { reserveCode } from './code-ceiling.ts';
import { recordUndelivered } from './code-delivery.ts';
import { requestBudgetIdOf } from './finish-request.ts';
import { withSettings } from './profile.ts';
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
 * free, or the provider requires to wait. `limited`: a spend ceiling does not allow the code. `claimed`: as the send was claimed, to be released.
 */
type SendOutcome =
  | 'sent'
  | 'refused'
  | 'limited'
  | 'skipped'
  | { status: 'unsent'; claimed: StoredRequest }
  | { status: 'postponed'; untilMs: number; claimed: StoredRequest | undefined };

/**
 * Sends the code of a request. The send is claimed once all is read, with nothing but the call behind it: a queue message that arrives twice,
 * late or out of order sends nothing twice, and a read that fails leaves no claim behind. An `unsent` code is tried again by the queue, unless a later message with the same code was claimed meanwhile; a refusal, or the
 * last try, fails the request as `delivery_failed`.
 */
export const sendCode = async (command: SendCodeCommand, attempt: number): Promise<void> => {
  const request = await getPendingRequest(command);
  if (!request) return;
  const outcome = command.channel === 'email' ? await sendByEmail(command, request) : await sendByWhatsapp(command, request);
  if (outcome === 'sent' || outcome === 'skipped') return;
  if (outcome === 'refused') return recordUndelivered(command);
  if (outcome === 'limited') {
    log.info('A code was not sent: a spend ceiling and its reserve of codes are used up', { request_id: command.requestId });
    return recordUndelivered(command);
  }
  if (outcome.status === 'postponed') return requeue(command, outcome);
  if (attempt >= lastAttempt) return recordUndelivered(command);
  if (await releaseSend(outcome.claimed)) throw new Error('A code did not leave and will be tried again.');
};

/** The request while its send is to be claimed: most messages come a second time, from the change stream. 1 RRU; 2 for one to send. */
async function getPendingRequest({ companyId, requestId, send }: SendCodeCommand): Promise<StoredRequest | undefined> {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending' || request.sealedCode === undefined || request.claimedSend >= send) return undefined;
  if (!request.isDecidedByBudget) return request;
  const budget = await getRequestBudget(requestBudgetIdOf(request), { consistent: true });
  return isBegun(requestId, budget) && withResult(request, budget).status === 'pending' ? request : undefined;
}

/** Puts the command back on the queue. The claim of the next try refuses a request that is over by then. */
async function requeue(
  { companyId, requestId, send, channel }: SendCodeCommand,
  { untilMs, claimed }: { untilMs: number; claimed: StoredRequest | undefined },
): Promise<void> {
  const message = { company_id: companyId, request_id: requestId, send, channel };
  if (claimed && !(await releaseSend(claimed))) return;
  await enqueue(codesQueue, [{ companyId, message, delaySeconds: Math.max(1, (untilMs - now()) / 1_000) }]);
}

/** One less than the queue's deliveries, so that the request fails before the queue gives its message up. */
const lastAttempt = codesQueue.maxReceives - 1;

interface UnsealedCode {
  request: StoredRequest;
  code: string;
  recipient: string;
}

/** Code and recipient of a request stay the same while it is pending, so they are read before its send is claimed. */
async function unsealCode(request: StoredRequest): Promise<UnsealedCode> {
  const [code, recipient] = await Promise.all([
    unsealValue(request.id, 'code', request.sealedCode ?? ''),
    unsealValue(request.id, 'identifier', request.sealedIdentifier),
  ]);
  return { request, code, recipient };
}

/** The request as it was claimed; undefined when another worker has the claim. */
async function claimCode({ companyId, requestId, send }: SendCodeCommand): Promise<StoredRequest | undefined> {
  const claimed = await claimSend(companyId, requestId, send, now());
  return claimed.done ? claimed.item : undefined;
}

async function sendByWhatsapp(command: SendCodeCommand, request: StoredRequest): Promise<SendOutcome> {
  const { companyId, requestId, send } = command;
  const number = await getActiveNumber(companyId);
  if (!number || number.isSuspended) return (await claimCode(command)) ? 'refused' : 'skipped';
  const unsealed = await unsealCode(request);
  if (await isPhoneBlocked(companyId, unsealed.recipient.slice(1))) return (await claimCode(command)) ? 'refused' : 'skipped';
  const message = { phone: unsealed.recipient.slice(1), payload: await composeWhatsapp(unsealed) };
  let claimed: StoredRequest | undefined;
  const sent = await sendCodeMessage(number, { companyId, requestId, send }, message.phone, async () => {
    claimed = await claimCode(command);
    return claimed && message;
  });
  if (sent?.outcome === 'limited') return (await claimCode(command)) ? 'limited' : 'skipped';
  if (sent?.outcome === 'waits' || sent?.outcome === 'later') return { status: 'postponed', untilMs: sent.untilMs, claimed };
  return sent && claimed ? toSendOutcome(sent.outcome, claimed) : 'skipped';
}

/** An ambiguous send counts as sent: a second message may be a duplicate, and the customer can request a resend. */
function toSendOutcome(outcome: 'accepted' | 'refused' | 'unsent' | 'ambiguous', claimed: StoredRequest): SendOutcome {
  if (outcome === 'unsent') return { status: 'unsent', claimed };
  return outcome === 'refused' ? 'refused' : 'sent';
}

/** With a template for links the message carries the link, while the profile allows links; else the code. */
async function composeWhatsapp({ request, code }: UnsealedCode): Promise<ProviderPayload> {
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

async function sendByEmail(command: SendCodeCommand, request: StoredRequest): Promise<SendOutcome> {
  const [profile, template, { code, recipient }] = await Promise.all([
    getStoredProfile(request.companyId, request.profileId),
    getCodeTemplate(request),
    unsealCode(request),
  ]);
  // only here it shows who has an account: to the caller all addresses look alike
  const isToNoUser = request.companyId === signInCompanyId && !(await mayMailUser(request, recipient));
  const { magic_link: magic } = parseSettings(profile?.settings ?? {});
  const base = optionalSetting('PUBLIC_BASE_URL');
  const link =
    magic.enabled && base !== undefined
      ? `${base}/api/v1/verification/magic/${request.id}/${await deriveLinkToken(request.companyId, request.id)}`
      : undefined;
  const claimed = await claimCode(command);
  if (!claimed) return 'skipped';
  if (profile?.companyStatus === 'suspended') return 'refused';
  if (isToNoUser) return 'sent';
  const minutes = Math.max(1, Math.round((claimed.expiresAt - now()) / 60_000));
  const name = profile?.name ?? '';
  const about = describeRequest(request, name).join(' ');
  return toSendOutcome(await sendMail({ to: recipient, ...codeEmail({ code, link, minutes, name, about }, template) }), claimed);
}

/** Whether the address is a user's, and the ceiling of the deployment allows a mail for a browser that is not known. */
async function mayMailUser({ isKnownBrowser }: StoredRequest, recipient: string): Promise<boolean> {
  if (!(await isEmailOfUser(recipient))) return false;
  return (
    isKnownBrowser === true ||
    (await reserveCode({ profile: withSettings(signInProfile), isTrusted: true, country: undefined }, now())) === undefined
  );
}

const getCodeTemplate = async ({ companyId, profileId, channel, purpose }: StoredRequest): Promise<CodeTemplate | undefined> =>
  selectTemplate(await listCodeTemplates(companyId, profileId), channel, purpose);
