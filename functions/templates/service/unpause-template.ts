import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getAccountNumber } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { unpauseProviderTemplate } from '../gateway/templates.ts';
import { getTemplateById, putTemplateRow } from '../store/template.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';

/**
 * Ends the pause of a template at the provider, then here. A template that is APPROVED already is left as it is, so that a repetition
 * changes nothing.
 */
export const unpauseTemplate = async (
  companyId: number,
  id: number,
): Promise<
  StoredTemplate | Problem<'not_found' | 'template_not_paused' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>
> => {
  const template = await getTemplateById(companyId, id);
  if (!template) return problem('not_found');
  if (template.status === 'APPROVED') return template;
  if (template.status !== 'PAUSED' || template.providerId === undefined)
    return problem('template_not_paused', { details: { status: template.status, template_id: id } });
  const account = await getAccountNumber(companyId, template.wabaId);
  if (!account) return problem('number_missing');
  const calledAt = now();
  const ended = await unpauseProviderTemplate(account, template.providerId);
  if (ended.outcome === 'refused') return providerRejected(ended.refusal);
  if (ended.outcome !== 'done') return providerUnavailable(ended);
  let seen = template;
  return retryOnConflict(maxConflicts, async () => {
    // a webhook may have been faster
    if (seen.status !== 'PAUSED') return seen;
    const written = await putTemplateRow({ ...seen, status: 'APPROVED', statusAt: calledAt, updatedAt: calledAt }, seen);
    if (written.done) return written.item;
    if (written.current?.id !== id) return seen;
    seen = written.current;
    return conflict;
  });
};
