import { type FieldErrors, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { getCompany } from '../../account/service/companies.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { selectFrom } from '../../messaging/service/select-number.ts';
import { parseSchedule } from '../../../shared/runtime/schedule.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import type { CallCredential } from '../../spend/service/token-ceilings.ts';
import { priceCapOf, tariffOf } from '../../templates/contract/max-price.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { startTemplateUse } from '../../templates/service/template-uses.ts';
import type { CampaignInput } from '../contract/campaign-input.ts';
import { campaignEntityName, type StoredCampaign } from '../contract/stored.ts';
import { storedAudience } from '../domain/audience.ts';
import { multiplierErrors, percentOf } from '../domain/max-price.ts';
import { type CampaignKey, getCampaignKey, getStoredCampaign } from '../store/campaign.ts';
import { errorsOf, parameterErrors, parseOfferEnd, resolveAudience, resolveTemplate, validationProblem } from './campaign-input.ts';
import { readAttachment, storeAttachment } from './attachment.ts';
import { checkPrices, newLimit } from './campaign-budget.ts';
import { addPaidCampaign, payerOf } from './token-payment.ts';

export interface Creation {
  caller: CallCredential;
  operationId: string;
  startedAt: number;
  idempotencyKey: string | undefined;
  /** The stored file of the campaign that is copied, and the end of its offer. */
  media?: StoredMedia | undefined;
  offerEndsAt?: number | undefined;
}

export type CreateProblem = Problem<
  'validation_failed' | 'number_missing' | 'price_unknown' | 'spend_limit_reached' | 'idempotency_key_reused'
>;

/**
 * POST /campaigns (A39): commits one row, with the template held fast and the Idempotency-Key for as long as the campaign lives. What
 * follows (recipients, sends) follows from the row. A retry of the same operation finds its own row.
 */
export const createCampaign = async (
  companyId: number,
  input: CampaignInput,
  { caller, operationId, startedAt, idempotencyKey, media: copiedMedia, offerEndsAt: copiedEnd }: Creation,
): Promise<StoredCampaign | CreateProblem> => {
  const key: CampaignKey | undefined = idempotencyKey === undefined ? undefined : campaignKeyOf(idempotencyKey, input);
  const [audience, found, company, numbers, held] = await Promise.all([
    resolveAudience(companyId, input),
    resolveTemplate(companyId, input.template_id),
    getCompany(companyId),
    listActiveNumbers(companyId),
    key && getCampaignKey(companyId, key.hash),
  ]);
  if (held && key) return replayCreation(companyId, held, key);
  const wanted = { numberId: input.number_id, template: 'value' in found ? found.value : undefined };
  const number = await selectFrom(companyId, numbers, wanted);
  const timezone = input.timezone ?? company?.timezone ?? 'UTC';
  const { sendNow, schedule, errors: scheduleErrors } = scheduleOf(input, timezone, startedAt);
  const attachment = await readAttachment(companyId, input);
  const startMs = schedule.when === 'later' ? schedule.atMs : startedAt;
  const offerEnd = parseOfferEnd(input.offer_ends_at, timezone, { nowMs: startedAt, startMs });
  const errors: FieldErrors = {
    ...errorsOf(audience),
    ...errorsOf(found),
    ...scheduleErrors,
    ...errorsOf(attachment),
    ...errorsOf(offerEnd),
    ...(isProblem(number) ? number.errors : {}),
  };
  if ('errors' in audience || 'errors' in found || 'errors' in attachment || 'errors' in offerEnd || hasErrors(errors))
    return validationProblem(errors);
  const template = found.value;
  const given = {
    values: input.paramvalues ?? {},
    match: input.parammatch ?? {},
    mediaUrl: input.media_url,
    media: attachment.value?.media ?? copiedMedia,
    location: input.location,
    offerEndsAt: offerEnd.value ?? (copiedEnd !== undefined && copiedEnd > startMs ? copiedEnd : undefined),
    products: input.products,
  };
  const missing = { ...parameterErrors(template, given), ...multiplierErrors(input.max_price_multiplier, priceCapOf(template)) };
  if (hasErrors(missing)) return validationProblem(missing);
  if (!number) return problem('number_missing');
  if (isProblem(number)) return number;
  const payer = (await checkPrices(companyId, input.spend_limit, tariffOf(template))) ?? (await payerOf(caller, input.spend_limit));
  if (isProblem(payer)) return payer;
  const media = attachment.value ? await storeAttachment(companyId, operationId, attachment.value) : copiedMedia;
  const id = await nextIds(companyId, campaignEntityName, 1);
  const campaign: StoredCampaign = {
    companyId,
    id,
    rev: 0,
    name: input.name,
    type: input.type ?? 'regular',
    status: schedule.when === 'later' ? 'scheduled' : 'queued',
    // with several accounts it stays at one that has the template, whichever number becomes the default
    ...(input.number_id === undefined && !hasSeveralAccounts(numbers) && !input.spend_limit ? {} : { numberId: number.id }),
    ...(input.spend_limit ? newLimit(input.spend_limit) : {}),
    ...templateOf(template),
    ...defined({ maxPricePercent: percentOf(input.max_price_multiplier) }),
    ...storedAudience(audience.value),
    sendNow,
    ...(schedule.when === 'later' ? { sendTime: schedule.atMs } : sendNow ? {} : { sendTime: startedAt }),
    timezone,
    preventDuplicates: input.prevent_template_duplicates ?? false,
    ...defined({ ...given, media }),
    ...notBegun,
    operationId,
    createdAt: now(),
    updatedAt: now(),
  };
  const added = await addPaidCampaign(campaign, key, startTemplateUse(template, templateUserOf(campaign), now()), payer);
  if (isProblem(added)) return added;
  if (added.outcome === 'held' && key) return replayCreation(companyId, added, key);
  return added.outcome === 'done'
    ? campaign
    : validationProblem({ template_id: ['The template is not approved any more, or is being deleted.'] });
};

/** The template as it is now. */
const templateOf = (template: StoredTemplate): Pick<StoredCampaign, 'templateId' | 'template'> => {
  const { id, name, language, category } = template;
  return { templateId: id, template: { name, language, category, ...defined({ cap: priceCapOf(template) }) } };
};

/** What counts what happens to a campaign. */
const notBegun = { batchCount: 0, audience: 0, excluded: {}, retried: 0, runNumber: 0, chainCount: 1 };

/** When it starts: a time alone schedules (A39). */
function scheduleOf({ send_now, send_time }: CampaignInput, timezone: string, startedAt: number) {
  const sendNow = send_now ?? !send_time;
  const schedule = sendNow ? ({ when: 'now' } as const) : parseSchedule(send_time ?? undefined, timezone, startedAt);
  const errors: FieldErrors = {
    ...(!sendNow && !send_time ? { send_time: ['Required when send_now is false.'] } : {}),
    ...(sendNow && send_time ? { send_time: ['Not together with send_now true: leave one of them out.'] } : {}),
    ...(schedule.when === 'never' ? { send_time: [schedule.reason] } : {}),
  };
  return { sendNow, schedule, errors };
}

const hasErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0;

const hasSeveralAccounts = (numbers: readonly BusinessNumber[]): boolean => new Set(numbers.map(({ wabaId }) => wabaId)).size > 1;

/** Who uses the template, as templates know it. */
export const templateUserOf = ({ id }: { id: number }): string => `campaign:${id}`;

/** The key outlives the stored response, which expires after a day: the fingerprint covers the request's values, not their notation. */
function campaignKeyOf(key: string, input: CampaignInput): CampaignKey {
  const { pdf, imageupload, ...fields } = input;
  const files = { pdf: pdf?.sha256, imageupload: imageupload?.sha256 };
  return { hash: sha256(key), fingerprint: sha256(canonical({ ...fields, ...files })) };
}

async function replayCreation(
  companyId: number,
  held: { campaignId: number; fingerprint: string },
  key: CampaignKey,
): Promise<StoredCampaign | Problem<'idempotency_key_reused'>> {
  const campaign = held.fingerprint === key.fingerprint ? await getStoredCampaign(companyId, held.campaignId) : undefined;
  return campaign ?? problem('idempotency_key_reused');
}
