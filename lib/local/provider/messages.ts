/** `POST /{PHONE_ID}/messages` and `/marketing_messages`: validates, accepts into the ledger, plans the statuses. */
import { servedVersion } from '../../../shared/provider/versions.ts';
import type { Answer } from './answer.ts';
import type { Billing } from './billing.ts';
import type { BlockedUsers } from './blocked-users.ts';
import { checkContent } from './content.ts';
import type { Delivery } from './delivery.ts';
import { asynchronousCodes, type Refusal, refuse, refuseParameter } from './errors.ts';
import type { Faults } from './faults.ts';
import { isInboundId, messageId, phoneDigits } from './identifiers.ts';
import { type AcceptedMessage, allStatuses, heldBit, type Ledger, statusBits } from './ledger.ts';
import type { MediaStore } from './media.ts';
import { refuseIssue } from './refusals.ts';
import type { BusinessNumber, Registry, Template } from './registry.ts';
import { type MarketingOptions, marketingOptions, readRequest, type SendRequest, sendRequest } from './schemas.ts';
import { checkTemplateSend } from './template-send.ts';
import type { Users } from './users.ts';
import { digitsOf } from './webhooks.ts';

interface Recipient {
  /** Digits, or a business-scoped user id. */
  id: string;
  input: string;
  scoped: boolean;
  /** Accepted, and never delivered. */
  isDropped?: true;
}

const templateOf = (registry: Registry, number: BusinessNumber, request: SendRequest) =>
  request.type === 'template' ? registry.templateNamed(number.waba_id, request.template.name, request.template.language.code) : undefined;

interface Parts {
  billing: Billing;
  blocked: BlockedUsers;
  ledger: Ledger;
  registry: Registry;
  users: Users;
  faults: Faults;
  delivery: Delivery;
  media: MediaStore;
}

export function createMessages(parts: Parts) {
  const { billing, blocked, ledger, registry, users, faults, delivery, media } = parts;
  const arrivals = new Map<string, number[]>();

  /** The sliding second, counted on what was accepted. Off unless the number was registered with a rate. */
  function isTooFast(number: BusinessNumber, now: number): boolean {
    if (number.rate === undefined) return false;
    let times = arrivals.get(number.phone_number_id);
    if (!times) arrivals.set(number.phone_number_id, (times = []));
    while (times[0] !== undefined && (times[0] <= now - 1_000 || times[0] > now)) times.shift();
    if (times.length >= number.rate) return true;
    times.push(now);
    return false;
  }

  /** A code with which the accepted message fails later, if any. */
  function laterFailure(number: BusinessNumber, request: SendRequest, to: string, category: string, now: number): number | undefined {
    const wanted = faults.errorFor(to);
    if (wanted !== undefined) return wanted;
    if (blocked.isBlocked(number, to)) return 130403;
    if (users.isForeign(number, to)) return 131026;
    if (faults.enforcesWindow() && request.type !== 'template' && !ledger.isWindowOpen(number.phone_number_id, to, now)) return 131047;
    if (category === 'marketing' && ledger.hasStoppedMarketing(number.phone_number_id, to)) return 131050;
    return mediaIdsOf(request).some((id) => !media.isUsable(id)) || isOfAnotherType(request, media) ? 131053 : undefined;
  }

  return {
    /** The ledger keeps the body as it came. Resolves when the acceptance is stored. */
    async send(number: BusinessNumber, body: unknown, { raw, version, edge }: Posted): Promise<Answer> {
      if (isReadReceipt(body) && edge === 'messages') {
        const receipt = readRequest.safeParse(body);
        if (!receipt.success) return refuseIssue(body, receipt.error);
        const { message_id: wamid, typing_indicator: typing } = receipt.data;
        if (!isInboundId(wamid)) return refuse(131009, 'Message ID is invalid');
        ledger.addReceipt(number.phone_number_id, wamid, Date.now(), typing !== undefined);
        return { status: 200, body: { success: true } };
      }
      const parsed = sendRequest.safeParse(body);
      if (!parsed.success) return refuseIssue(body, parsed.error);
      const request = parsed.data;
      const recipient = recipientOf(request, faults.dropsUserIdInTo());
      if ('body' in recipient) return recipient;
      const now = Date.now();
      const template = templateOf(registry, number, request);
      const options = marketingOptions.safeParse(body);
      if (!options.success) return refuseIssue(body, options.error);
      const complaint =
        (recipient.id === digitsOf(number) ? refuse(131021, 'Recipient cannot be sender') : undefined) ??
        checkContent(request) ??
        (request.type === 'template' ? checkTemplateSend(request.template, template, servedVersion(version, now)) : undefined) ??
        checkEdge(edge, request, template) ??
        (recipient.scoped && isForPhonesAlone(template) ? refuse(131062) : undefined);
      if (complaint) return complaint;
      const category = template?.category.toLowerCase() ?? 'service';
      const charged = edge === 'messages' ? category : 'marketing_lite';
      const error = laterFailure(number, request, recipient.id, category, now);
      if (error !== undefined && !asynchronousCodes.has(error)) return refuse(error);
      if (isTooFast(number, now)) return refuse(130429);
      const isHeld = request.type === 'template' && category !== 'authentication' && faults.holdsTemplate();
      const message = await ledger.accept(
        {
          ...chargeOf(billing, number, recipient.id, { category: charged, at: now, template, options: options.data }),
          wamid: messageId(recipient.id, 'outbound'),
          phoneNumberId: number.phone_number_id,
          to: recipient.id,
          type: request.type,
          category: charged,
          reference: request.biz_opaque_callback_data,
          at: now,
          error,
          planned: isHeld ? heldBit : recipient.isDropped ? 0 : plannedStatuses(request, error),
        },
        raw,
        version,
      );
      delivery.addStatuses(message);
      return { status: 200, body: accepted(recipient, message.wamid, request, isHeld) };
    },
  };
}
export type Messages = ReturnType<typeof createMessages>;

/** The edges that take messages. */
export const sendingEdges = ['messages', 'marketing_messages'] as const;

interface Posted {
  /** The body as it came. */
  raw: string;
  version: string;
  edge: (typeof sendingEdges)[number];
}

interface Charged {
  category: string;
  at: number;
  template: Template | undefined;
  options: MarketingOptions;
}

/** How an accepted message is charged: what is free costs nothing, and a max price bounds what is not. */
function chargeOf(
  billing: Billing,
  number: BusinessNumber,
  user: string,
  { category, at, template, options }: Charged,
): Pick<AcceptedMessage, 'pricingType' | 'cost'> {
  const pricingType = billing.pricingTypeOf(number, user, { category, at });
  const bid = pricingType === 'regular' ? template?.optimization_spec?.bid_amount : undefined;
  const multiplier = options.bid_spec?.per_message_bid_multiplier ?? 1;
  return { pricingType, cost: bid === undefined ? undefined : billing.decideCost(user, bid, multiplier) };
}

/** The marketing edge takes marketing templates; those with a max price go by no other (provider-2026 section 3.3). */
function checkEdge(edge: Posted['edge'], request: SendRequest, template: Template | undefined): Refusal | undefined {
  if (edge === 'messages') return template?.optimization_spec ? refuse(131061) : undefined;
  if (request.type !== 'template') return refuse(131055);
  return template?.category === 'MARKETING' ? undefined : refuse(134100);
}

const isForPhonesAlone = (template: Template | undefined): boolean =>
  template?.category === 'AUTHENTICATION' || template?.optimization_spec !== undefined;

/** The same path takes both: a receipt has a status and no type. */
export function isReadReceipt(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'status' in body && !('type' in body);
}

/** Of a reaction only `sent` is reported. */
function plannedStatuses(request: SendRequest, error: number | undefined): number {
  if (error !== undefined) return statusBits.failed;
  return request.type === 'reaction' ? statusBits.sent : allStatuses;
}

function accepted(recipient: Recipient, wamid: string, request: SendRequest, isHeld: boolean): unknown {
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: recipient.input, ...(recipient.scoped ? { user_id: recipient.id } : { wa_id: recipient.id }) }],
    messages: [{ id: wamid, ...(request.type === 'template' && { message_status: isHeld ? 'held_for_quality_assessment' : 'accepted' }) }],
  };
}

const userIdForm = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** `to` wins over `recipient` when both are given. */
function recipientOf(request: SendRequest, dropsUserIdInTo: boolean): Recipient | Refusal {
  if (request.to !== undefined) {
    const digits = phoneDigits(request.to);
    if (dropsUserIdInTo && userIdForm.test(request.to)) return { id: request.to, input: request.to, scoped: true, isDropped: true };
    return digits ? { id: digits, input: request.to, scoped: false } : refuse(131009, 'Parameter value is not valid: to');
  }
  if (request.recipient === undefined) return refuseParameter('The parameter to is required.');
  const valid = userIdForm.test(request.recipient);
  return valid
    ? { id: request.recipient, input: request.recipient, scoped: true }
    : refuse(131009, 'Parameter value is not valid: recipient');
}

/** Ids of uploaded media that the message shows, in its own content or in a header. */
function mediaIdsOf(request: SendRequest): string[] {
  switch (request.type) {
    case 'image':
      return known(request.image.id);
    case 'video':
      return known(request.video.id);
    case 'audio':
      return known(request.audio.id);
    case 'document':
      return known(request.document.id);
    case 'sticker':
      return known(request.sticker.id);
    case 'interactive': {
      const header = request.interactive.header;
      if (header?.type === 'image') return known(header.image.id);
      if (header?.type === 'video') return known(header.video.id);
      return header?.type === 'document' ? known(header.document.id) : [];
    }
    case 'template': {
      const components = request.template.components ?? [];
      const cards = components.flatMap((each) => each.cards ?? []).flatMap((card) => card.components ?? []);
      return [...components, ...cards].flatMap(({ type, parameters = [] }) => {
        const content = type === 'header' && parameters[0]?.[parameters[0].type];
        return typeof content === 'object' && content !== null && 'id' in content ? [String(content.id)] : [];
      });
    }
    case 'text':
    case 'location':
    case 'contacts':
    case 'reaction':
      return [];
  }
}

/** An uploaded file that the kind of message does not take: a voice note is Opus in Ogg, a sticker WebP. */
function isOfAnotherType(request: SendRequest, media: MediaStore): boolean {
  if (request.type === 'sticker') return isUploadedAs(request.sticker.id, media, (mime) => mime !== 'image/webp');
  return (
    request.type === 'audio' &&
    Boolean(request.audio.voice) &&
    isUploadedAs(request.audio.id, media, (mime) => !mime.startsWith('audio/ogg'))
  );
}

function isUploadedAs(id: string | undefined, media: MediaStore, is: (mimeType: string) => boolean): boolean {
  const file = id === undefined ? undefined : media.find(id);
  return file !== undefined && is(file.mime_type);
}

function known(id: string | undefined): string[] {
  return id === undefined ? [] : [id];
}
