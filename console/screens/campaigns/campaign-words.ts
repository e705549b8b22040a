import type { Campaign } from '../../../client/client.ts';
import type { BadgeLook } from '../../components/basics.tsx';
import type { Answer } from '../../data/client.ts';
import type { campaignsText } from '../../text/campaigns.ts';
import type { TextOf } from '../../text/text.ts';

type CampaignsText = TextOf<typeof campaignsText>;

/** Where a campaign stands, in words, and how that looks; one that is done needs no colour. */
export const stateOf = (text: CampaignsText, status: Campaign['status']): { name: string; look: BadgeLook | undefined } =>
  ({
    queued: { name: text.queued, look: 'info' as const },
    constructing: { name: text.constructing, look: 'info' as const },
    scheduled: { name: text.scheduled, look: 'info' as const },
    sending: { name: text.sending, look: 'good' as const },
    paused: { name: text.paused, look: 'warn' as const },
    completed: { name: text.completed, look: undefined },
    failed: { name: text.failed, look: 'bad' as const },
    deleted: { name: text.deleted, look: undefined },
  })[status];

/** Whether its recipients are not chosen yet: so long its time can be changed. */
export const isWaiting = ({ status, started_at: started, send_time: starts, audience_count: people }: Waiting): boolean =>
  starts !== null && started === null && people === 0 && (status === 'scheduled' || status === 'paused');
type Waiting = Pick<Campaign, 'status' | 'started_at' | 'send_time' | 'audience_count'>;

const answeredForMs = 7 * 86_400_000;
/** Whether answers to it may still come: as long as it is sent, and a week afterwards. `now` is epoch milliseconds. */
export const isAnswerable = (
  { started_at: started, completed_at: completed }: Pick<Campaign, 'started_at' | 'completed_at'>,
  now: number,
): boolean => started !== null && (completed === null || now - Date.parse(completed) < answeredForMs);

/** Why it does not go on by itself. */
export const pauseOf = (text: CampaignsText, reason: Campaign['pause_reason']): string =>
  reason === null
    ? ''
    : {
        user: text.pausedByUser,
        template_paused: text.pausedTemplate,
        provider_blocked: text.pausedProvider,
        company_suspended: text.pausedCompany,
        number_restricted: text.pausedNumber,
        spend_limit: text.pausedSpend,
      }[reason];

/** The ceiling that holds it up. */
export const ceilingNameOf = (text: CampaignsText, ceiling: NonNullable<Campaign['pause_details']>['ceiling']): string =>
  ({ day: text.ceilingDay, month: text.ceilingMonth, campaign: text.ceilingCampaign })[ceiling];

/** Why contacts are left out. */
export const exclusionNames = (text: CampaignsText): Record<keyof Answer<'previewAudience'>['data']['excluded'], string> => ({
  invalid_phone: text.outInvalidPhone,
  needs_phone: text.outNeedsPhone,
  duplicate: text.outDuplicate,
  blocked: text.outBlocked,
  opted_out: text.outOptedOut,
  unsubscribed: text.outUnsubscribed,
  marketing_blocked: text.outMarketingBlocked,
  deleted: text.outDeleted,
  not_on_whatsapp: text.outNotOnWhatsapp,
  template_duplicate: text.outTemplateDuplicate,
  missing_parameter: text.outMissingParameter,
  staff: text.outStaff,
});
