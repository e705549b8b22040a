import { isoTime } from '../../../shared/runtime/clock.ts';
import { timesInOrder } from '../../messaging/contract/message-times.ts';
import { isHeldByProvider } from '../../messaging/contract/held.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import type { CampaignMessage } from '../contract/message.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { recipientStateOf } from './stats.ts';
import type { RemedyLookup } from './campaign-view.ts';

/** A recipient's row (A42). */
export const campaignMessageView = (
  row: StoredMessage,
  { remedyOf, classOf }: { remedyOf: RemedyLookup; classOf: (code: number | string) => string },
): CampaignMessage => {
  const state = recipientStateOf(row) ?? 'scheduled';
  const times = timesInOrder(row);
  return {
    id: row.id,
    campaign_id: row.campaign?.id ?? 0,
    contact_id: row.contactId,
    phone: row.phone ?? null,
    status: row.status,
    status_name: state === 'ambiguous' ? 'failed' : state,
    fb_message_id: row.wamid ?? null,
    error: row.error ? { code: row.error.code, title: row.error.title, class: classOf(row.error.code), ...remedyOf(row.error.code) } : null,
    ambiguous: row.ambiguous ?? false,
    held: isHeldByProvider(row),
    attempts: row.attempt,
    scheduled_at: optionalTime(row.dueAt),
    sent_at: optionalTime(times.sentAt),
    delivered_at: optionalTime(times.deliveredAt),
    read_at: optionalTime(times.readAt),
    failed_at: optionalTime(times.failedAt),
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
  };
};

interface RecipientWithoutMessage {
  campaign: StoredCampaign;
  contactId: number;
  phone: string | undefined;
}

/** Whose turn has not come. */
export const scheduledMessageView = ({ campaign, contactId, phone }: RecipientWithoutMessage): CampaignMessage => ({
  id: null,
  campaign_id: campaign.id,
  contact_id: contactId,
  phone: phone ?? null,
  status: 0,
  status_name: 'scheduled',
  fb_message_id: null,
  error: null,
  ambiguous: false,
  held: false,
  attempts: 0,
  scheduled_at: isoTime(campaign.sendTime ?? campaign.createdAt),
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
  created_at: isoTime(campaign.startedAt ?? campaign.createdAt),
  updated_at: isoTime(campaign.startedAt ?? campaign.createdAt),
});

/** Who was left out when the turn came: no message was made. */
export const skippedMessageView = (bare: RecipientWithoutMessage & { reason: string }): CampaignMessage => ({
  ...scheduledMessageView(bare),
  status: 5,
  status_name: 'skipped',
  error: {
    code: bare.reason,
    title: skipTitles[bare.reason] ?? 'Left out when the turn came',
    class: 'skipped',
    retryable: false,
    fix: 'Nothing was sent. After the cause is gone, send it to this contact by `POST /campaigns/send`.',
  },
});

const skipTitles: Readonly<Record<string, string>> = {
  invalid_phone: 'The contact has no valid phone.',
  needs_phone: 'The contact has no phone, and a template of authentication, or with a max price, goes to phones alone.',
  opted_out: 'The contact opted out before its turn.',
  unsubscribed: 'The contact was unsubscribed before its turn.',
  marketing_blocked: 'The contact stopped marketing messages at the provider.',
  deleted: 'The contact was deleted.',
  blocked: 'You blocked the contact.',
  not_on_whatsapp: 'The phone is known not to be on WhatsApp.',
  missing_parameter: 'The contact has no value for a placeholder.',
};

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
