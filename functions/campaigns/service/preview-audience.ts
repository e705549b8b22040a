import { loadUpload, type UploadedMedia } from '../../media/service/uploads.ts';
import * as z from 'zod';
import { type FieldErrors, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { mapOk } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { listByCursor } from '../../../shared/table/page.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits } from '../../../shared/table/walk.ts';
import { type BusinessNumber, getActiveNumber } from '../../account/service/numbers.ts';
import { audiencePage, audienceTop, getLiveContacts, listAudience } from '../../contacts/service/audience.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getStaffContactIds } from '../../crm/service/staff-contacts.ts';
import type { Tariff } from '../../spend/contract/price-cap.ts';
import { RecipientCount } from '../../spend/service/recipient-count.ts';
import { estimateSend } from '../../spend/service/estimates.ts';
import { priceCapOf, tariffOf } from '../../templates/contract/max-price.ts';
import { expectReach } from '../../templates/service/reach.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { audiencePreview } from '../contract/campaign.ts';
import type { PreviewInput } from '../contract/campaign-input.ts';
import { type ExclusionReason, exclusionReasons } from '../contract/stored.ts';
import { multiplierErrors, percentOf } from '../domain/max-price.ts';
import { numberWarnings } from '../domain/number-warnings.ts';
import { achievedPace, etaSeconds } from '../domain/pace.ts';
import { campaignsBefore } from '../store/campaign.ts';
import { getStats } from '../store/stats.ts';
import { errorsOf, misfitErrors, parseOfferEnd, resolveAudience, validationProblem, resolveTemplate } from './campaign-input.ts';
import { lacksParameter, lacksParameterOfAll } from './eligibility.ts';
import { type Candidate, type RecipientSelection, selectRecipients } from './select-recipients.ts';

/** A count that takes longer goes on by a cursor, which each page may exceed by itself. */
const countingMs = 6_000;
const position = z.object({ below: z.int() });

/**
 * Who would get a campaign now (A40): the walk and the rule of the construction, writing nothing. Without parameters nothing counts as
 * missing. A large company's audience is counted at once by the search snapshot; where parameters come from the contacts' fields, or there is
 * no snapshot yet, it is walked through, about 1 RRU per 30 contacts that lie together, in parts whose counts add up. With a reason
 * to list, a part ends with its 50th listed contact, and a walk after 1,000 read units too.
 */
export const previewAudience = async (
  companyId: number,
  input: PreviewInput,
  { limitMs = countingMs, pageSize = 2_000 } = {},
): Promise<z.input<typeof audiencePreview> | Problem<'validation_failed' | 'invalid_cursor'>> => {
  const startedAt = performance.now();
  const unitsBefore = readUnits();
  const { cursor, ...described } = input;
  const scope = `preview:${companyId}:${sha256(canonical(described))}`;
  const isOver = (): boolean =>
    performance.now() - startedAt >= limitMs || (input.excluded_reason !== undefined && readUnits() - unitsBefore >= maxWalkUnits);
  const found = await listByCursor({ scope, cursor, position }, (after) =>
    countAudience(companyId, described, after?.below, { isOver, pageSize }),
  );
  return mapOk(found, ({ preview, nextCursor }) => ({ ...preview, is_partial: nextCursor !== undefined, next_cursor: nextCursor ?? null }));
};

async function countAudience(
  companyId: number,
  input: Omit<PreviewInput, 'cursor'>,
  from: number | undefined,
  { isOver, pageSize }: { isOver: () => boolean; pageSize: number },
) {
  const [resolved, found, number, top, staff] = await Promise.all([
    resolveAudience(companyId, input),
    input.template_id === undefined ? { value: undefined } : resolveTemplate(companyId, input.template_id),
    getActiveNumber(companyId),
    audienceTop(companyId),
    getStaffContactIds(companyId),
  ]);
  if ('errors' in resolved || 'errors' in found) return validationProblem({ ...errorsOf(resolved), ...errorsOf(found) });
  const [audience, template] = [resolved.value, found.value];
  const file = input.media_id === undefined ? undefined : await loadUpload(companyId, input.media_id);
  if (isProblem(file)) return file;
  const offerEnd = parseOfferEnd(input.offer_ends_at, 'UTC', { nowMs: now(), startMs: now() });
  if ('errors' in offerEnd) return validationProblem(offerEnd.errors);
  const hasParameters = input.paramvalues !== undefined || input.parammatch !== undefined;
  const needs = template && hasParameters ? templateParameters(template) : undefined;
  const asGiven = partsOf(input, file?.media, offerEnd.value);
  const misfits = misfitsOf(template, asGiven, input.max_price_multiplier);
  if (Object.keys(misfits).length > 0) return validationProblem(misfits);
  const given = { ...anyParts, ...defined(asGiven) };
  const rules = { template, atMs: now(), staff: audience.of === 'contact' ? undefined : staff };
  const noDuplicates = input.prevent_template_duplicates ? { of: undefined } : undefined;
  const allLack = needs ? lacksParameterOfAll(needs, given) : false;
  const lacks = needs && ((contact: Contact) => lacksParameter(contact, needs, given));
  const count = new PreviewCount(template !== undefined);
  const listed = input.excluded_reason;
  // most often the newest contacts are the first that would get it
  const newest = audience.of === 'all' && from === undefined ? Array.from({ length: maxShown }, (_, n) => top - 1 - n) : [];
  const [whole, pace, known] = await Promise.all([
    (from === undefined || listed) && allLack !== undefined ? listAudience(companyId, audience) : undefined,
    number && earlierPace(companyId, number),
    getLiveContacts(companyId, newest),
  ]);
  const learn = (contacts: Iterable<Contact>): void => [...contacts].forEach((contact) => known.set(contact.id, contact));
  const select = <C extends Candidate>(contacts: readonly C[], lacksOne: ((contact: C) => boolean) | undefined) =>
    selectRecipients(companyId, contacts, { ...rules, lacks: lacksOne }, noDuplicates);
  const readPart = async (under: number): Promise<AudiencePart> => {
    if (whole)
      return audiencePart(sliceBelow(whole, under, listed ? listedAtOnce : whole.length), (some) => select(some, () => allLack === true));
    const page = await audiencePage(companyId, audience, under, pageSize);
    learn(page.contacts.slice(0, maxShown));
    return audiencePart(page, (some) => select(some, lacks));
  };
  let below: number | undefined = from ?? top;
  do {
    const part = await readPart(below);
    const chosen = await part.select();
    const last = listed && count.lastListed(chosen.excluded.get(listed) ?? [])?.id;
    count.add(last === undefined ? chosen : await part.select(last), listed);
    below = last === undefined || last === part.lastId ? part.next : last;
    if (last !== undefined || isOver()) break;
  } while (below !== undefined);
  const unknown = [...count.first, ...count.listed].filter((id) => !known.has(id));
  if (unknown.length > 0) learn((await getLiveContacts(companyId, unknown)).values());
  const percent = percentOf(input.max_price_multiplier);
  const costs = await costsOf(companyId, template, { items: count.byCountry.items(), percent, currency: number?.currency });
  const preview = {
    audience_type: audience.of,
    eligible_contacts: count.eligible,
    total: count.total,
    excluded: count.excluded,
    eta_seconds: etaSeconds(count.eligible, number?.ratePerSecond ?? 1, pace),
    ...costs,
    warnings: numberWarnings(number, now()),
    recipients: previewedContacts(count.first, known),
    excluded_contacts: previewedContacts(count.listed, known),
  };
  return { preview, next: below === undefined ? undefined : { below } };
}

/** What a preview has counted so far, and whom it shows. */
class PreviewCount {
  total = 0;
  eligible = 0;
  readonly excluded = Object.fromEntries(exclusionReasons.map((reason) => [reason, 0])) as Record<ExclusionReason, number>;
  readonly byCountry = new RecipientCount();
  /** The first recipients, and who is left out for the reason that is listed. */
  readonly first: number[] = [];
  readonly listed: number[] = [];
  private readonly isPriced: boolean;

  constructor(isPriced: boolean) {
    this.isPriced = isPriced;
  }

  add(chosen: RecipientSelection, listed: ExclusionReason | undefined): void {
    this.total += chosen.contacts.length;
    this.eligible += chosen.contacts.length;
    if (this.isPriced) for (const contact of chosen.contacts) this.byCountry.add(contact);
    this.first.push(...chosen.contacts.slice(0, maxShown - this.first.length).map(({ id }) => id));
    for (const [reason, out] of chosen.excluded) {
      this.total += out.length;
      this.excluded[reason] += out.length;
    }
    if (listed) this.listed.push(...(chosen.excluded.get(listed) ?? []).map(({ id }) => id));
  }

  /** The one of these contacts with whom the list is full; undefined while it is not. */
  lastListed<C>(contacts: readonly C[]): C | undefined {
    return contacts[maxListed - this.listed.length - 1];
  }
}

/** Contacts that are looked at together. */
interface AudiencePart {
  lastId: number | undefined;
  /** The id below which the next part begins; undefined at the end. */
  next: number | undefined;
  /** Who of them gets the campaign; of those down to an id, where one is given. */
  select: (downTo?: number) => Promise<RecipientSelection>;
}

const audiencePart = <C extends Candidate>(
  { contacts, next }: { contacts: readonly C[]; next: number | undefined },
  select: (contacts: readonly C[]) => Promise<RecipientSelection>,
): AudiencePart => ({
  lastId: contacts.at(-1)?.id,
  next,
  select: (downTo = 0) => select(downTo === 0 ? contacts : contacts.filter(({ id }) => id >= downTo)),
});

/** The contacts below an id, of all, greatest id first. */
const sliceBelow = <C extends Candidate>(all: readonly C[], below: number, count: number) => {
  const start = all.findIndex(({ id }) => id < below);
  const contacts = start === -1 ? [] : all.slice(start, start + count);
  return { contacts, next: start === -1 || start + count >= all.length ? undefined : contacts.at(-1)?.id };
};

const previewedContacts = (ids: readonly number[], known: ReadonlyMap<number, Contact>) =>
  ids.flatMap((id) => {
    const contact = known.get(id);
    return contact ? [{ contact_id: id, name: contact.name ?? null, phone: contact.phone }] : [];
  });

/** What the recipients cost, and what the provider expects of them. */
async function costsOf(
  companyId: number,
  template: StoredTemplate | undefined,
  { items, percent, currency }: { items: ReturnType<RecipientCount['items']>; percent: number | undefined; currency: string | undefined },
): Promise<Pick<z.input<typeof audiencePreview>, 'cost' | 'between'>> {
  if (!template) return { cost: null, between: null };
  const [cost, between] = await Promise.all([
    estimateSend(companyId, { items, ...tariffNow(template, percent), currency }),
    expectReach(companyId, template, { items, percent }),
  ]);
  return { cost, between };
}

/** What does not fit the template. */
const misfitsOf = (
  template: StoredTemplate | undefined,
  given: Parameters<typeof misfitErrors>[1],
  multiplier: number | undefined,
): FieldErrors => ({
  ...(template ? misfitErrors(template, given) : {}),
  ...multiplierErrors(multiplier, template && priceCapOf(template)),
});

/** What is given for the parts of the template, as the checks of a campaign take it. */
const partsOf = (input: Omit<PreviewInput, 'cursor'>, media: UploadedMedia['media'] | undefined, offerEndsAt: number | undefined) => ({
  values: input.paramvalues ?? {},
  match: input.parammatch ?? {},
  mediaUrl: input.media_url,
  media,
  location: input.location,
  offerEndsAt,
  products: input.products,
});

/** By what the provider prices a template now: an announced change of its category holds from its time on. */
const tariffNow = (template: StoredTemplate, percent: number | undefined): Tariff => {
  const { category, upcomingCategory: upcoming } = template;
  const isChanged = upcoming?.at !== undefined && upcoming.at <= now();
  return tariffOf({ ...template, category: isChanged ? upcoming.category : category }, percent);
};

/** Recipients that a preview shows, and contacts that are left out. */
const maxShown = 20;
const maxListed = 50;
/** Contacts of a search snapshot that are looked at between two looks at the time. */
const listedAtOnce = 50_000;
const campaignsLookedAt = 10;

/** What the latest campaign of the number achieved at its present rate, if there is one that was large enough. 3 RRU. */
async function earlierPace(companyId: number, { id, ratePerSecond }: BusinessNumber): Promise<number | undefined> {
  let left = campaignsLookedAt;
  for await (const campaign of campaignsBefore(companyId, { beforeId: undefined, count: campaignsLookedAt })) {
    const isOfNumber = (campaign.numberId ?? id) === id && campaign.ratePerSecond === ratePerSecond;
    const pace = isOfNumber ? achievedPace(campaign, await getStats(companyId, campaign.id)) : undefined;
    if (pace !== undefined || --left === 0) return pace;
  }
  return undefined;
}

/** A preview counts recipients, whatever the header, the offer and the products are. */
const anyParts = {
  mediaUrl: 'https://example.com/any',
  location: { latitude: 0, longitude: 0, name: '-', address: '-' },
  offerEndsAt: Date.UTC(2100, 0),
  products: { sections: [{ title: '-', product_ids: ['-'] }] },
};
