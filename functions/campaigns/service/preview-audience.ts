import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { audiencePage, audienceTop } from '../../contacts/service/audience.ts';
import { templateParameters } from '../../templates/contract/parameters.ts';
import type { audiencePreview, PreviewInput } from '../contract/campaign.ts';
import { exclusionReasons } from '../contract/stored.ts';
import { etaSeconds } from '../domain/campaign-view.ts';
import { resolveAudience, isFieldErrors, validationProblem, resolveTemplate } from './campaign-input.ts';
import { selectRecipients } from './select-recipients.ts';

/** A count that takes longer goes on by a cursor, which each page may exceed by itself. */
const countingMs = 6_000;
const cursorPosition = z.object({ below: z.int() });

/**
 * Who would get a campaign now (A40): the walk and the rule of the construction, writing nothing. About 1 RRU per 30 contacts that lie
 * together. Without parameters nothing counts as missing. Large audiences are counted in parts, whose counts add up.
 */
export const previewAudience = async (
  companyId: number,
  input: PreviewInput,
  { limitMs = countingMs, pageSize = 2_000 } = {},
): Promise<z.input<typeof audiencePreview> | Problem<'validation_failed' | 'invalid_cursor'>> => {
  const startedAt = performance.now();
  const { cursor, ...described } = input;
  const scope = `preview:${companyId}:${sha256(canonical(described))}`;
  const from = cursor === undefined ? { below: undefined } : await decodeCursor(scope, cursor, cursorPosition);
  if (from === undefined) return problem('invalid_cursor');
  const [audience, template, number, top] = await Promise.all([
    resolveAudience(companyId, input),
    input.template_id === undefined ? undefined : resolveTemplate(companyId, input.template_id),
    getActiveNumber(companyId),
    audienceTop(companyId),
  ]);
  if (isFieldErrors(audience)) return validationProblem({ ...audience, ...(template && isFieldErrors(template) ? template : {}) });
  if (template && isFieldErrors(template)) return validationProblem(template);
  const hasParameters = input.paramvalues !== undefined || input.parammatch !== undefined;
  const rules = {
    template,
    needs: template && hasParameters ? templateParameters(template) : undefined,
    given: { values: input.paramvalues ?? {}, match: input.parammatch ?? {}, mediaUrl: input.media_url ?? 'https://example.com/any' },
    atMs: now(),
  };
  let eligible = 0;
  let total = 0;
  const excluded = Object.fromEntries(exclusionReasons.map((reason) => [reason, 0])) as Record<(typeof exclusionReasons)[number], number>;
  let below: number | undefined = from.below ?? top;
  while (below !== undefined) {
    const page = await audiencePage(companyId, audience.source, below, pageSize);
    const chosen = await selectRecipients(
      companyId,
      page.contacts,
      rules,
      input.prevent_template_duplicates ? { of: undefined } : undefined,
    );
    total += page.contacts.length;
    eligible += chosen.contacts.length;
    for (const [reason, count] of chosen.excluded) excluded[reason] += count;
    below = page.next;
    if (performance.now() - startedAt >= limitMs) break;
  }
  return {
    audience_type: audience.type,
    eligible_contacts: eligible,
    total,
    excluded,
    eta_seconds: etaSeconds(eligible, number?.ratePerSecond ?? 1),
    is_partial: below !== undefined,
    next_cursor: below === undefined ? null : await encodeCursor(scope, { below }),
  };
};
