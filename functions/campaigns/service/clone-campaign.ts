import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { moneyText } from '../../spend/service/money-text.ts';
import type { CloneInput } from '../contract/campaign-input.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import { audienceFields, audienceOf } from '../domain/audience.ts';
import { namesAudience } from './campaign-input.ts';
import { createCampaign, type CreateProblem, type Creation } from './create-campaign.ts';

/**
 * POST /campaigns/{id}: a new campaign from the values of another one. A copy never starts by omission: the request gives its time,
 * or says that it is sent now.
 */
export const cloneCampaign = async (
  companyId: number,
  id: number,
  { name, send_now, send_time, timezone, offer_ends_at, spend_limit, max_price_multiplier, ...audience }: CloneInput,
  creation: Creation,
): Promise<StoredCampaign | CreateProblem | Problem<'not_found'>> => {
  const campaign = await getStoredCampaign(companyId, id);
  if (!campaign || campaign.status === 'deleted') return problem('not_found');
  if (send_time === undefined && send_now !== true)
    return invalid('send_time', 'Give the time of the copy, or send_now true to send it at once.');
  return createCampaign(
    companyId,
    {
      name: name ?? `${campaign.name.slice(0, 248)} (copy)`,
      type: campaign.type,
      template_id: campaign.templateId,
      timezone: timezone ?? campaign.timezone,
      paramvalues: campaign.values,
      parammatch: campaign.match,
      prevent_template_duplicates: campaign.preventDuplicates,
      ...defined({
        number_id: campaign.numberId,
        media_url: campaign.mediaUrl,
        location: campaign.location,
        products: campaign.products,
        offer_ends_at,
        spend_limit: spend_limit ?? limitOf(campaign),
        max_price_multiplier: multiplierOf(campaign, max_price_multiplier),
        send_now,
        send_time,
      }),
      ...defined(namesAudience(audience) ? audience : audienceFields(audienceOf(campaign))),
    },
    { ...creation, media: campaign.media, offerEndsAt: campaign.offerEndsAt },
  );
};

/** A copy is sent at the same price, unless the request names another one; null: at the max price itself. */
const multiplierOf = ({ maxPricePercent }: StoredCampaign, given: CloneInput['max_price_multiplier']): number | undefined =>
  given === undefined ? maxPricePercent && maxPricePercent / 100 : (given ?? undefined);

/** A copy may spend as much as the campaign that it is of. */
const limitOf = ({ spendLimit }: StoredCampaign): CloneInput['spend_limit'] =>
  spendLimit && { amount: moneyText(spendLimit.micros), currency: spendLimit.currency };
