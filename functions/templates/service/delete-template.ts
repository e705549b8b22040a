import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getAccountNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { tombstone } from '../domain/reconcile.ts';
import { isTemplateMissing } from '../domain/refusal.ts';
import { deleteProviderTemplate, findProviderTemplate } from '../gateway/templates.ts';
import { deleteTemplateRow, getTemplateById, putTemplateRow } from '../store/template.ts';
import { hasTemplateUses } from '../store/template-use.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';

/**
 * Deletes a template in its language at the provider, then here. A template that the provider no longer has counts as deleted there. When
 * the result is unknown the template stays here, and the call may be repeated.
 */
export const deleteTemplate = async (
  companyId: number,
  id: number,
): Promise<
  { id: number } | Problem<'not_found' | 'template_in_use' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>
> => {
  const marked = await claimDeletion(companyId, id);
  if (isProblem(marked)) return marked;
  const number = await getAccountNumber(companyId, marked.wabaId);
  const held = number ? await deleteAtProvider(marked, number) : problem('number_missing');
  if (held) {
    // a webhook may have been faster: then `deletingAt` lapses by itself
    await putTemplateRow({ ...marked, deletingAt: undefined }, marked);
    return held;
  }
  await deleteLatest(companyId, id);
  return { id };
};

/** Deletes the template at the provider; otherwise why it cannot be deleted. */
async function deleteAtProvider(
  template: StoredTemplate,
  number: BusinessNumber,
): Promise<Problem<'template_in_use' | 'provider_rejected' | 'temporarily_unavailable'> | undefined> {
  if (await hasTemplateUses(template.companyId, template.id)) return problem('template_in_use');
  let { providerId } = template;
  if (providerId === undefined) {
    const found = await findProviderTemplate(number, template.name, template.language);
    if (found.outcome === 'refused') return providerRejected(found.refusal, template.components);
    if (found.outcome !== 'done') return providerUnavailable(found);
    if (!found.value) return undefined;
    providerId = found.value.providerId;
  }
  const deleted = await deleteProviderTemplate(number, template.name, providerId);
  if (deleted.outcome === 'done') return undefined;
  if (deleted.outcome === 'refused')
    return isTemplateMissing(deleted.refusal) ? undefined : providerRejected(deleted.refusal, template.components);
  return providerUnavailable(deleted);
}

/** From here on no campaign can begin to use the template. */
async function claimDeletion(companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found' | 'temporarily_unavailable'>> {
  const attempt = async (): Promise<StoredTemplate | Problem<'not_found'> | typeof conflict> => {
    const template = await getTemplateById(companyId, id);
    if (!template) return problem('not_found');
    const marked = await putTemplateRow({ ...template, deletingAt: now() }, template);
    return marked.done ? marked.item : conflict;
  };
  return retryOnConflict<StoredTemplate | Problem<'not_found' | 'temporarily_unavailable'>>(maxConflicts, attempt, () =>
    problem('temporarily_unavailable', { retryAfterSeconds: 1 }),
  );
}

/** Deletes the row as it is now, after whatever webhooks wrote meanwhile. */
async function deleteLatest(companyId: number, id: number): Promise<void> {
  await retryOnConflict(maxConflicts, async () => {
    const template = await getTemplateById(companyId, id);
    const isDeleted = !template || (await deleteTemplateRow(template, tombstone(template, now())));
    return isDeleted ? undefined : conflict;
  });
}
