import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import { audiencePage, audienceTop, audienceExists } from '../../contacts/service/audience.ts';
import { getStaffContactIds } from '../../crm/service/staff-contacts.ts';
import { uploadStoredFile } from '../../media/service/files.ts';
import { pricedCountry } from '../../spend/contract/recipient.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import { endTemplateUse } from '../../templates/service/template-uses.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import { campaignBuildsQueue } from '../contract/queue.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { audienceOf } from '../domain/audience.ts';
import { isOfferOver } from '../domain/parameters.ts';
import { splitIntoBatches, chainCountFor } from '../domain/recipient-batch.ts';
import { putRecipientBatch } from '../store/recipient-batch.ts';
import { changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { getCampaignNumber } from './campaign-number.ts';
import { parametersOf } from './campaign-input.ts';
import { templateUserOf } from './create-campaign.ts';
import { continueCampaign, pauseStoredCampaign } from './pause-campaign.ts';
import { resumeAtCeiling } from './spend-limits.ts';
import { checkNumberOf } from './restricted-numbers.ts';
import { lacksParameter } from './eligibility.ts';
import { selectRecipients, recordTemplateReach } from './select-recipients.ts';

/** Contacts read and evaluated in one step; the worker writes their batches and the audience cursor with it. */
const segmentSize = 2_000;
const batchWritesAtOnce = 16;

/** A worker's stretch; then the rest goes back to the queue. */
const maxRunMs = 15_000;

/**
 * Writes the recipients of a campaign, segment by segment: whom the template reaches, the batches, then the audience cursor. No worker
 * sends a batch before the construction is complete.
 */
export const buildAudience = async (companyId: number, campaignId: number): Promise<void> => {
  const untilMs = now() + maxRunMs;
  let campaign = await startBuild(companyId, campaignId);
  while (campaign?.status === 'constructing') {
    if (now() > untilMs) {
      await send(campaignBuildsQueue, [{ companyId, message: { company_id: companyId, campaign_id: campaignId } }]);
      return;
    }
    campaign = await buildNextSegment(campaign);
  }
};

/** The campaign under construction; undefined: it is none any more, or cannot be. */
async function startBuild(companyId: number, campaignId: number): Promise<StoredCampaign | undefined> {
  const campaign = await getStoredCampaign(companyId, campaignId);
  if (!campaign) return undefined;
  if (campaign.status === 'paused' && campaign.pauseReason === 'company_suspended') return continueAfterSuspension(campaign);
  if (campaign.status === 'paused' && campaign.pauseReason === 'number_restricted') {
    await checkNumberOf(campaign);
    return undefined;
  }
  if (campaign.status === 'paused' && campaign.pauseReason === 'spend_limit') {
    await resumeAtCeiling(campaign);
    return undefined;
  }
  const isDue = campaign.status === 'scheduled' && (campaign.sendTime ?? 0) <= now();
  if (campaign.status !== 'queued' && campaign.status !== 'constructing' && !isDue) return undefined;
  const audience = audienceOf(campaign);
  const [template, number, isThere] = await Promise.all([
    getTemplate(companyId, campaign.templateId),
    getCampaignNumber(campaign),
    audience.of === 'contact' || audienceExists(companyId, audience),
  ]);
  if (isProblem(template) || template.status === 'DELETED') return failCampaign(campaign, 'template_deleted');
  if (!isThere) return failCampaign(campaign, 'audience_deleted');
  if (isOfferOver(campaign, now())) return failCampaign(campaign, 'offer_over');
  if (!number) return failCampaign(campaign, 'number_missing');
  if (number.isSuspended) {
    await pauseStoredCampaign(campaign, 'company_suspended');
    return undefined;
  }
  if (sendBlockOf(number, now())) {
    await checkNumberOf(campaign);
    return undefined;
  }
  if (template.status !== 'APPROVED') {
    await changeCampaign(campaign, { status: 'paused', pausedFrom: campaign.status, pauseReason: 'template_paused' }, now());
    return undefined;
  }
  if (campaign.status === 'constructing') return campaign;
  let { media } = campaign;
  if (media) {
    const given = await uploadStoredFile(number, media);
    if (given === undefined) throw new Error('The file of a campaign could not be given to the provider now.');
    if (typeof given !== 'string') return failCampaign(campaign, 'media_rejected');
    media = { ...media, providerId: given };
  }
  const audienceCursor = await audienceTop(companyId);
  const change = { status: 'constructing', audienceCursor, startedAt: now(), ...(media ? { media } : {}) } as const;
  const written = await changeCampaign(campaign, change, now());
  return written.done ? written.item : undefined;
}

/** A campaign whose company was suspended continues where it stood, once the company is resumed. Before, it stays due. */
async function continueAfterSuspension(campaign: StoredCampaign): Promise<undefined> {
  const number = await getCampaignNumber(campaign);
  if (!number?.isSuspended) await continueCampaign(campaign);
}

/**
 * Builds one more segment. Returns undefined when another worker continues. Each attempt first increments the campaign's revision: only the
 * latest attempt can commit, and an earlier one that still runs overwrites none of its batches. So no contact is in two batches.
 */
async function buildNextSegment(seen: StoredCampaign): Promise<StoredCampaign | undefined> {
  const owned = await changeCampaign(seen, {}, now());
  if (!owned.done) return undefined;
  const campaign = owned.item;
  const { companyId, id } = campaign;
  const audience = audienceOf(campaign);
  const [template, number, page, staff] = await Promise.all([
    getTemplate(companyId, campaign.templateId),
    getCampaignNumber(campaign),
    audiencePage(companyId, audience, campaign.audienceCursor ?? 0, segmentSize),
    audience.of === 'contact' ? undefined : getStaffContactIds(companyId),
  ]);
  if (isProblem(template)) return failCampaign(campaign, 'template_deleted');
  const step = { name: String(id), below: campaign.audienceCursor ?? 0 };
  const [needs, given] = [templateParameters(template), parametersOf(campaign)];
  const rules = { template, lacks: (contact: Contact) => lacksParameter(contact, needs, given), atMs: now(), staff };
  const chosen = await selectRecipients(companyId, page.contacts, rules, campaign.preventDuplicates ? { of: step } : undefined);
  const batches = splitIntoBatches(chosen.contacts.map(({ id: contactId }) => contactId));
  if (!(await recordTemplateReach(step, chosen, rules.atMs))) return campaign;
  const written = await inParallel(batches, batchWritesAtOnce, (contactIds, index) =>
    putRecipientBatch({ ...newBatch(campaign, campaign.batchCount + index), contactIds }),
  );
  if (written.includes(false)) return undefined;
  const excluded = { ...campaign.excluded };
  for (const [reason, contacts] of chosen.excluded) excluded[reason] = (excluded[reason] ?? 0) + contacts.length;
  const countries = { ...campaign.countries };
  for (const contact of chosen.contacts) {
    const country = pricedCountry(contact) ?? '-';
    countries[country] = (countries[country] ?? 0) + 1;
  }
  const progress = {
    countries,
    batchCount: campaign.batchCount + batches.length,
    audience: campaign.audience + chosen.contacts.length,
    excluded,
    audienceCursor: page.next,
  };
  if (page.next === undefined) return finishBuild(campaign, progress, number?.ratePerSecond ?? 1);
  const moved = await changeCampaign(campaign, progress, now());
  return moved.done ? moved.item : undefined;
}

async function finishBuild(
  campaign: StoredCampaign,
  progress: Pick<StoredCampaign, 'batchCount' | 'audience' | 'excluded' | 'countries' | 'audienceCursor'>,
  ratePerSecond: number,
): Promise<undefined> {
  if (progress.audience === 0) return failCampaign({ ...campaign, ...progress }, 'no_recipients');
  const chainCount = chainCountFor(ratePerSecond, progress.batchCount);
  const start = { status: 'sending', chainCount, runNumber: campaign.runNumber + 1, sendingSince: now(), ratePerSecond } as const;
  await changeCampaign(campaign, { ...progress, ...start }, now());
  log.info('A campaign is constructed', { campaign_id: campaign.id, count: progress.audience });
}

async function failCampaign(campaign: StoredCampaign, failureReason: string): Promise<undefined> {
  const use = { companyId: campaign.companyId, templateId: campaign.templateId, user: templateUserOf(campaign) };
  await changeCampaign(campaign, { status: 'failed', failureReason, completedAt: now() }, now(), endTemplateUse(use));
  log.info('A campaign failed before anything was sent', { campaign_id: campaign.id, code: failureReason });
}

const newBatch = ({ companyId, id, rev }: StoredCampaign, batch: number) => ({
  companyId,
  campaignId: id,
  batch,
  rev: 0,
  builtAtRev: rev,
  processed: 0,
  waiting: [],
  done: false,
  skipped: [],
});
