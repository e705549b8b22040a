import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { audiencePage, audienceTop, groupExists } from '../../contacts/service/audience.ts';
import { giveToProvider } from '../../messaging/service/campaign-files.ts';
import { templateNeeds } from '../../messaging/service/campaign-sends.ts';
import { readTemplate, releasingTemplate } from '../../messaging/service/templates.ts';
import { buildsQueue } from '../contract/queue.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { inBlocks, lanesFor } from '../domain/blocks.ts';
import { putBlock } from '../store/block.ts';
import { changeCampaign, getCampaign } from '../store/campaign.ts';
import { givenBy, sourceOf } from './asked.ts';
import { userOf } from './creating.ts';
import { choose, noteReached } from './choosing.ts';

/** Contacts read and judged in one step; its blocks and the place in the walk are written together with it. */
const segment = 2_000;

/** A worker's stretch; then the rest goes back to the queue. */
const stretchMs = 15_000;

/**
 * Writes the recipients of a campaign, segment by segment: whom the template reaches, the blocks, then the place in the walk. Nobody works
 * on a block before the walk is over.
 */
export const build = async (companyId: number, campaignId: number): Promise<void> => {
  const untilMs = now() + stretchMs;
  let campaign = await begun(companyId, campaignId);
  while (campaign?.status === 'constructing') {
    if (now() > untilMs) {
      await send(buildsQueue, [{ companyId, message: { company_id: companyId, campaign_id: campaignId } }]);
      return;
    }
    campaign = await nextSegment(campaign);
  }
};

/** The campaign under construction; undefined: it is none any more, or cannot be. */
async function begun(companyId: number, campaignId: number): Promise<StoredCampaign | undefined> {
  const campaign = await getCampaign(companyId, campaignId);
  if (!campaign) return undefined;
  const isDue = campaign.status === 'scheduled' && (campaign.sendTime ?? 0) <= now();
  if (campaign.status !== 'queued' && campaign.status !== 'constructing' && !isDue) return undefined;
  const [template, number, isThere] = await Promise.all([
    readTemplate(companyId, campaign.templateId),
    activeNumber(companyId),
    campaign.groupId === undefined || groupExists(companyId, campaign.groupId),
  ]);
  if (isProblem(template) || template.status === 'DELETED') return fail(campaign, 'template_deleted');
  if (!isThere) return fail(campaign, 'audience_deleted');
  if (!number) return fail(campaign, 'number_missing');
  if (template.status !== 'APPROVED') {
    await changeCampaign(campaign, { status: 'paused', pausedFrom: campaign.status, pauseReason: 'template_paused' }, now());
    return undefined;
  }
  if (campaign.status === 'constructing') return campaign;
  let { media } = campaign;
  if (media) {
    const given = await giveToProvider(number, media);
    if (given === undefined) throw new Error('The file of a campaign could not be given to the provider now.');
    if (typeof given !== 'string') return fail(campaign, 'media_rejected');
    media = { ...media, providerId: given };
  }
  const below = await audienceTop(companyId);
  const change = { status: 'constructing', below, startedAt: now(), ...(media ? { media } : {}) } as const;
  const written = await changeCampaign(campaign, change, now());
  return written.done ? written.item : undefined;
}

/**
 * The campaign after one more segment; undefined: somebody else goes on with it. Each attempt moves the campaign's revision first: only the
 * last one can commit, and no block of it is overwritten by an earlier attempt that is still alive somewhere. So no contact is in two blocks.
 */
async function nextSegment(seen: StoredCampaign): Promise<StoredCampaign | undefined> {
  const owned = await changeCampaign(seen, {}, now());
  if (!owned.done) return undefined;
  const campaign = owned.item;
  const { companyId, id } = campaign;
  const [template, number, page] = await Promise.all([
    readTemplate(companyId, campaign.templateId),
    activeNumber(companyId),
    audiencePage(companyId, sourceOf(campaign), campaign.below ?? 0, segment),
  ]);
  if (isProblem(template)) return fail(campaign, 'template_deleted');
  const step = { name: String(id), below: campaign.below ?? 0 };
  const rules = { template, needs: templateNeeds(template), given: givenBy(campaign), atMs: now() };
  const chosen = await choose(companyId, page.contacts, rules, campaign.preventDuplicates ? { of: step } : undefined);
  const blocks = inBlocks(chosen.contacts.map(({ id: contactId }) => contactId));
  if (!(await noteReached(step, chosen, rules.atMs))) return campaign;
  const written = await inTurns(blocks, (contacts, index) => putBlock({ ...freshBlock(campaign, campaign.blocks + index), contacts }));
  if (written.includes(false)) return undefined;
  const excluded = { ...campaign.excluded };
  for (const [reason, count] of chosen.excluded) excluded[reason] = (excluded[reason] ?? 0) + count;
  const sum = { blocks: campaign.blocks + blocks.length, audience: campaign.audience + chosen.contacts.length, excluded, below: page.next };
  if (page.next === undefined) return finished(campaign, sum, number?.ratePerSecond ?? 1);
  const moved = await changeCampaign(campaign, sum, now());
  return moved.done ? moved.item : undefined;
}

async function finished(
  campaign: StoredCampaign,
  sum: Pick<StoredCampaign, 'blocks' | 'audience' | 'excluded' | 'below'>,
  ratePerSecond: number,
): Promise<undefined> {
  if (sum.audience === 0) return fail({ ...campaign, ...sum }, 'no_recipients');
  const lanes = lanesFor(ratePerSecond, sum.blocks);
  await changeCampaign(campaign, { ...sum, status: 'sending', lanes, epoch: campaign.epoch + 1 }, now());
  log.info('A campaign is constructed', { campaign_id: campaign.id, count: sum.audience });
}

async function fail(campaign: StoredCampaign, failureReason: string): Promise<undefined> {
  const use = { companyId: campaign.companyId, templateId: campaign.templateId, user: userOf(campaign) };
  await changeCampaign(campaign, { status: 'failed', failureReason, completedAt: now() }, now(), releasingTemplate(use));
  log.info('A campaign failed before anything was sent', { campaign_id: campaign.id, code: failureReason });
}

const freshBlock = ({ companyId, id, rev }: StoredCampaign, block: number) => ({
  companyId,
  campaignId: id,
  block,
  rev: 0,
  by: rev,
  worked: 0,
  waiting: [],
  done: false,
  skipped: [],
});

async function inTurns<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const turn = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: 16 }, turn));
  return results;
}
