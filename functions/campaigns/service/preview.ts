import type * as z from 'zod';
import type { Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { audiencePage, audienceTop } from '../../contacts/service/audience.ts';
import { templateNeeds } from '../../messaging/service/campaign-sends.ts';
import type { audiencePreview, PreviewInput } from '../contract/campaign.ts';
import { exclusionReasons } from '../contract/stored.ts';
import { etaSeconds } from '../domain/view.ts';
import { audienceAsked, isErrors, refusedBy, templateAsked } from './asked.ts';
import { choose } from './choosing.ts';

const pageSize = 2_000;

/**
 * Who would get a campaign now (A40): the walk and the rule of the construction, writing nothing. About 1 RRU per 30 contacts that lie
 * together. Without parameters nothing counts as missing.
 */
export const previewAudience = async (
  companyId: number,
  input: PreviewInput,
): Promise<z.input<typeof audiencePreview> | Problem<'validation_failed'>> => {
  const [audience, template, number, top] = await Promise.all([
    audienceAsked(companyId, input),
    input.template_id === undefined ? undefined : templateAsked(companyId, input.template_id),
    activeNumber(companyId),
    audienceTop(companyId),
  ]);
  if (isErrors(audience)) return refusedBy({ ...audience, ...(template && isErrors(template) ? template : {}) });
  if (template && isErrors(template)) return refusedBy(template);
  const hasParameters = input.paramvalues !== undefined || input.parammatch !== undefined;
  const rules = {
    template,
    needs: template && hasParameters ? templateNeeds(template) : undefined,
    given: { values: input.paramvalues ?? {}, match: input.parammatch ?? {}, mediaUrl: input.media_url ?? 'https://example.com/any' },
    atMs: now(),
  };
  let eligible = 0;
  let total = 0;
  const excluded = Object.fromEntries(exclusionReasons.map((reason) => [reason, 0])) as Record<(typeof exclusionReasons)[number], number>;
  for (let below: number | undefined = top; below !== undefined; ) {
    const page = await audiencePage(companyId, audience.source, below, pageSize);
    const chosen = await choose(companyId, page.contacts, rules, input.prevent_template_duplicates ? { of: undefined } : undefined);
    total += page.contacts.length;
    eligible += chosen.contacts.length;
    for (const [reason, count] of chosen.excluded) excluded[reason] += count;
    below = page.next;
  }
  return {
    audience_type: audience.type,
    eligible_contacts: eligible,
    total,
    excluded,
    eta_seconds: etaSeconds(eligible, number?.ratePerSecond ?? 1),
  };
};
