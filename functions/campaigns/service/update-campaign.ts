import type * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type CallCredential, returnToToken } from '../../spend/service/token-ceilings.ts';
import { endTemplateUse } from '../../templates/service/template-uses.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import { parseSchedule } from '../../../shared/runtime/schedule.ts';
import type { campaignDetails } from '../contract/campaign.ts';
import type { CampaignChanges } from '../contract/campaign-input.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { storedAudience } from '../domain/audience.ts';
import { multiplierErrors, percentOf } from '../domain/max-price.ts';
import { isOfferOver } from '../domain/parameters.ts';
import { changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { namesAudience, resolveAudience, validationProblem } from './campaign-input.ts';
import { templateUserOf } from './create-campaign.ts';
import { budgetAtEnd, changeOfLimit } from './campaign-budget.ts';
import { changeOnResume, pauseStoredCampaign } from './pause-campaign.ts';
import { takeRise, unpaidChange } from './token-payment.ts';
import { details } from './campaigns.ts';

type Details = z.input<typeof campaignDetails>;
type UpdateCampaignProblem = Problem<
  | 'validation_failed'
  | 'not_found'
  | 'campaign_not_pausable'
  | 'campaign_not_editable'
  | 'campaign_stale'
  | 'template_not_approved'
  | 'spend_limit_reached'
  | 'conflict'
>;

/**
 * PUT /campaigns/{id} (A43). A pause holds from the moment its row is written: workers look after each handful of slots is reserved, a quarter of a
 * second of sending. The same again changes nothing. Name, time and audience change before it is paused or resumed.
 */
export const updateCampaign = async (
  companyId: number,
  id: number,
  input: CampaignChanges,
  caller: CallCredential,
): Promise<Details | UpdateCampaignProblem> => {
  const { is_active: isActive, confirm_stale: confirmed } = input;
  const stored = await getStoredCampaign(companyId, id);
  if (!stored) return problem('not_found');
  const unpaid = await unpaidChange(caller, stored, input);
  if (unpaid) return unpaid;
  const campaign = await applyChanges(stored, input, caller);
  if (isProblem(campaign)) return campaign;
  if (isActive === undefined) return details(campaign);
  const updated = isActive
    ? await resumeCampaign(campaign, confirmed ?? false)
    : ((await pauseStoredCampaign(campaign, 'user')) ?? notPausable(campaign));
  return isProblem(updated) ? updated : details(updated);
};

/** DELETE /campaigns/{id} (A44): what is unsent is cancelled with the row, what was sent stays to be read. */
export const deleteCampaign = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  let seen = await getStoredCampaign(companyId, id);
  const attempt = async (): Promise<{ id: number } | Problem<'not_found'> | typeof conflict> => {
    if (!seen || seen.status === 'deleted') return problem('not_found');
    const use = { companyId, templateId: seen.templateId, user: templateUserOf(seen) };
    const { change, parts } = await budgetAtEnd(seen);
    const written = await changeCampaign(seen, { status: 'deleted', ...change }, now(), [...endTemplateUse(use), ...parts]);
    if (written.done) {
      log.info('A campaign was deleted', { campaign_id: id, code: seen.status });
      return { id };
    }
    seen = written.current ?? (await getStoredCampaign(companyId, id));
    return conflict;
  };
  return retryOnConflict<{ id: number } | Problem<'not_found' | 'conflict'>>(8, attempt, () => problem('conflict'));
};

/** The campaign with the name, time, audience and price of a request. A time of this moment starts it. */
async function applyChanges(
  campaign: StoredCampaign,
  input: CampaignChanges,
  caller: CallCredential,
): Promise<StoredCampaign | UpdateCampaignProblem> {
  const { companyId, id } = campaign;
  const movesTime = input.send_time !== undefined;
  const movesAudience = namesAudience(input);
  const { max_price_multiplier: multiplier } = input;
  if (input.name === undefined && !movesTime && !movesAudience && input.spend_limit === undefined && multiplier === undefined)
    return campaign;
  const misfit = multiplierErrors(multiplier, campaign.template.cap);
  if (Object.keys(misfit).length > 0) return validationProblem(misfit);
  const audience = movesAudience ? await resolveAudience(companyId, input) : undefined;
  if (audience && 'errors' in audience) return validationProblem(audience.errors);
  const schedule = parseSchedule(input.send_time, input.timezone ?? campaign.timezone, now());
  if (schedule.when === 'never') return validationProblem({ send_time: [schedule.reason] });
  if (schedule.when === 'later' && isOfferOver(campaign, schedule.atMs))
    return validationProblem({ send_time: ['The limited-time offer of the template is over by then.'] });
  let seen: StoredCampaign | undefined = campaign;
  return retryOnConflict<StoredCampaign | UpdateCampaignProblem>(
    8,
    async () => {
      if (!seen || seen.status === 'deleted') return problem('not_found');
      const waits = seen.status === 'scheduled' || (seen.status === 'paused' && seen.pausedFrom === 'scheduled');
      if ((movesTime || movesAudience || multiplier !== undefined) && !waits)
        return problem('campaign_not_editable', { details: { status: seen.status } });
      const limit = input.spend_limit === undefined ? undefined : await changeOfLimit(seen, input.spend_limit);
      if (isProblem(limit)) return limit;
      const taken = limit && (await takeRise(caller, seen, limit.change.spendLimit));
      if (isProblem(taken)) return taken;
      const written = await changeCampaign(
        seen,
        {
          ...limit?.change,
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(multiplier === undefined ? {} : { maxPricePercent: percentOf(multiplier) }),
          ...(movesTime ? { sendTime: schedule.when === 'later' ? schedule.atMs : now(), timezone: input.timezone ?? seen.timezone } : {}),
          ...(movesTime && schedule.when === 'now' && seen.status === 'scheduled' ? { status: 'queued' as const } : {}),
          ...(audience ? storedAudience(audience.value) : {}),
        },
        now(),
        limit?.parts,
      );
      if (written.done) return written.item;
      if (taken) await returnToToken(taken);
      seen = written.current ?? (await getStoredCampaign(companyId, id));
      return conflict;
    },
    () => problem('conflict'),
  );
}

const notPausable = ({ status }: StoredCampaign): Problem<'campaign_not_pausable'> =>
  problem('campaign_not_pausable', { details: { status } });

/** Resumes with exactly the remaining recipients: batches have their progress, and the worker checks each recipient's consent again. */
async function resumeCampaign(campaign: StoredCampaign, confirmed: boolean): Promise<StoredCampaign | UpdateCampaignProblem> {
  if (['completed', 'failed', 'deleted'].includes(campaign.status)) return notPausable(campaign);
  if (campaign.status !== 'paused') return campaign;
  const dueAt = campaign.sendTime ?? campaign.createdAt;
  if (!campaign.sendNow && now() - dueAt > staleMs && !confirmed) return problem('campaign_stale');
  const template = await getTemplate(campaign.companyId, campaign.templateId);
  const approval = isProblem(template) ? 'DELETED' : template.status;
  if (approval !== 'APPROVED') return problem('template_not_approved', { details: { status: approval, template_id: campaign.templateId } });
  const written = await changeCampaign(campaign, changeOnResume(campaign, now()), now());
  return written.done ? written.item : problem('conflict');
}

const staleMs = dayMs;
