import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { takeIds } from '../../../shared/table/head.ts';
import { getCompany } from '../../account/service/companies.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { readSchedule } from '../../messaging/service/campaign-sends.ts';
import { usingTemplate } from '../../messaging/service/templates.ts';
import type { CampaignInput } from '../contract/campaign.ts';
import { campaignEntityName, type StoredCampaign } from '../contract/stored.ts';
import { addCampaign, type CampaignKey, findCampaignKey, getCampaign } from '../store/campaign.ts';
import { audienceAsked, type Errors, isErrors, parameterErrors, refusedBy, templateAsked } from './asked.ts';
import { attachmentOf, keepAttachment } from './attachment.ts';

export interface Creation {
  operationId: string;
  startedAt: number;
  idempotencyKey: string | undefined;
}

export type CreateProblem = Problem<'validation_failed' | 'number_missing' | 'idempotency_key_reused'>;

/**
 * POST /campaigns (A39): commits one row, with the template held fast and the Idempotency-Key for as long as the campaign lives. What
 * follows (recipients, sends) follows from the row. A retry of the same operation finds its own row.
 */
export const createCampaign = async (
  companyId: number,
  input: CampaignInput,
  { operationId, startedAt, idempotencyKey }: Creation,
): Promise<StoredCampaign | CreateProblem> => {
  const key: CampaignKey | undefined = idempotencyKey === undefined ? undefined : keyOf(idempotencyKey, input);
  const [audience, template, company, number, held] = await Promise.all([
    audienceAsked(companyId, input),
    templateAsked(companyId, input.template_id),
    getCompany(companyId),
    activeNumber(companyId),
    key && findCampaignKey(companyId, key.hash),
  ]);
  if (held && key) return madeBefore(companyId, held, key);
  const sendNow = input.send_now ?? true;
  const timezone = input.timezone ?? company?.timezone ?? 'UTC';
  const schedule = sendNow ? ({ when: 'now' } as const) : readSchedule(input.send_time ?? undefined, timezone, startedAt);
  const attachment = attachmentOf(input);
  const errors: Errors = {
    ...(isErrors(audience) ? audience : {}),
    ...(isErrors(template) ? template : {}),
    ...(!sendNow && !input.send_time ? { send_time: ['Required when send_now is false.'] } : {}),
    ...(schedule.when === 'never' ? { send_time: [schedule.reason] } : {}),
    ...('errors' in attachment ? attachment.errors : {}),
  };
  const given = {
    values: input.paramvalues ?? {},
    match: input.parammatch ?? {},
    mediaUrl: input.media_url,
    media: 'media' in attachment ? attachment.media : undefined,
  };
  if (!isErrors(template) && Object.keys(errors).length === 0) Object.assign(errors, parameterErrors(template, given));
  if (Object.keys(errors).length > 0 || isErrors(audience) || isErrors(template)) return refusedBy(errors);
  if (!number) return problem('number_missing');
  const kept = await keepAttachment(companyId, operationId, attachment);
  const id = await takeIds(companyId, campaignEntityName, 1);
  const campaign: StoredCampaign = {
    companyId,
    id,
    rev: 0,
    name: input.name,
    type: input.type ?? 'regular',
    status: schedule.when === 'later' ? 'scheduled' : 'queued',
    templateId: template.id,
    template: { name: template.name, language: template.language, category: template.category },
    audienceType: audience.type,
    ...('groupId' in audience.source ? { groupId: audience.source.groupId } : {}),
    ...('contactId' in audience.source ? { contactId: audience.source.contactId } : {}),
    sendNow,
    ...(schedule.when === 'later' ? { sendTime: schedule.atMs } : sendNow ? {} : { sendTime: startedAt }),
    timezone,
    preventDuplicates: input.prevent_template_duplicates ?? false,
    values: given.values,
    match: given.match,
    ...(given.mediaUrl === undefined ? {} : { mediaUrl: given.mediaUrl }),
    ...(kept ? { media: kept } : {}),
    blocks: 0,
    audience: 0,
    excluded: {},
    retried: 0,
    epoch: 0,
    lanes: 1,
    operationId,
    createdAt: now(),
    updatedAt: now(),
  };
  const added = await addCampaign(campaign, key, usingTemplate(template, userOf(campaign), now()));
  if (added.outcome === 'held' && key) return madeBefore(companyId, added, key);
  return added.outcome === 'done' ? campaign : refusedBy({ template_id: ['The template is not approved any more, or is being deleted.'] });
};

/** Who uses the template, as templates know it. */
export const userOf = ({ id }: { id: number }): string => `campaign:${id}`;

/** The key outlives the answer that the stack keeps for a day: the fingerprint is of what was asked, not of how it was written. */
function keyOf(key: string, input: CampaignInput): CampaignKey {
  const { pdf, imageupload, ...fields } = input;
  const files = { pdf: pdf?.sha256, imageupload: imageupload?.sha256 };
  return { hash: sha256(key), fingerprint: sha256(canonical({ ...fields, ...files })) };
}

async function madeBefore(
  companyId: number,
  held: { campaignId: number; fingerprint: string },
  key: CampaignKey,
): Promise<StoredCampaign | Problem<'idempotency_key_reused'>> {
  const campaign = held.fingerprint === key.fingerprint ? await getCampaign(companyId, held.campaignId) : undefined;
  return campaign ?? problem('idempotency_key_reused');
}
