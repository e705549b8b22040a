import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { isHeldByProvider } from '../contract/held.ts';
import type { messageDetails, messageRecord } from '../contract/message-record.ts';
import { timesInOrder } from '../contract/message-times.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { timelineOf } from '../domain/timeline.ts';
import { toMoney } from '../../spend/contract/money.ts';
import { getMediaLink } from '../../media/service/media-links.ts';

const pricingView = ({ cost, ...pricing }: NonNullable<StoredMessage['pricing']>) => ({
  ...pricing,
  ...(cost ? { cost: toMoney(BigInt(cost.micros), cost.currency) } : {}),
});

export const messageView = async (message: StoredMessage): Promise<z.input<typeof messageRecord>> => ({
  id: message.id,
  fb_message_id: message.wamid ?? null,
  contact_id: message.contactId,
  number_id: message.numberId ?? null,
  value: message.value,
  status: message.status,
  is_message_by_contact: Number(message.inbound),
  message_type: message.type,
  subtype: message.subtype,
  media: message.media ? await mediaView(message.media) : null,
  content: message.content ?? outboundContent(message) ?? null,
  context_message_id: message.contextWamid ?? null,
  pricing: message.pricing ? pricingView(message.pricing) : null,
  ambiguous: message.ambiguous ?? false,
  held: isHeldByProvider(message),
  error: failureView(message.error),
  ...timesView(message),
  scheduled_at: message.status === messageStatuses.scheduled ? optionalTime(message.dueAt) : null,
  edited_at: optionalTime(message.editedAt),
  revoked_at: optionalTime(message.revokedAt),
  group_id: groupOf(message),
  template_name: message.template?.name ?? null,
  campaign_id: message.campaign?.id ?? null,
  sent_by: sentByView(message),
  created_at: isoTime(message.createdAt),
  updated_at: isoTime(message.updatedAt),
});

/** Buttons, list, header and template of a message that we sent. */
function outboundContent({ payload }: StoredMessage): Record<string, unknown> | undefined {
  if (payload === undefined) return undefined;
  const { type: _type, ...content } = JSON.parse(payload) as Record<string, unknown>;
  return content;
}

const groupOf = ({ content }: StoredMessage): string | null => {
  const group = content?.['group_id'];
  return typeof group === 'string' ? group : null;
};

async function mediaView(media: StoredMedia): Promise<NonNullable<z.input<typeof messageRecord>['media']>> {
  return {
    url: (await getMediaLink(media)) ?? null,
    mime: media.mime ?? null,
    size: media.size ?? null,
    sha256: media.sha256 ?? null,
    caption: media.caption ?? null,
    filename: media.filename ?? null,
  };
}

const failureView = (error: StoredMessage['error']) =>
  error ? { code: error.code, title: error.title, details: error.details ?? null } : null;

/** A message with what happened to it. */
export const messageDetailsView = async (message: StoredMessage): Promise<z.input<typeof messageDetails>> => ({
  ...(await messageView(message)),
  attempts: message.attempt,
  timeline: timelineOf(message).map(({ step, atMs }) => ({ step, at: isoTime(atMs) })),
  note: failureView(message.note),
});

function timesView(message: StoredMessage) {
  const { sentAt, deliveredAt, readAt, failedAt } = timesInOrder(message);
  return {
    sent_at: optionalTime(sentAt),
    delivered_at: optionalTime(deliveredAt),
    read_at: optionalTime(readAt),
    failed_at: optionalTime(failedAt),
  };
}

/** Rows of before the sender was recorded name their campaign alone. */
function sentByView({ inbound, campaign, sentBy }: StoredMessage): z.input<typeof messageRecord>['sent_by'] {
  if (inbound) return null;
  if (campaign) return { via: 'campaign', user_id: null, token_id: null, campaign_id: campaign.id };
  if (!sentBy) return null;
  return { via: sentBy.via, user_id: sentBy.userId ?? null, token_id: sentBy.tokenId ?? null, campaign_id: null };
}

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
