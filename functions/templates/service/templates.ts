import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { getActiveNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import { type StoredTemplate, templateEntityName } from '../contract/stored.ts';
import { tombstone } from '../domain/reconcile.ts';
import { isTemplateMissing } from '../domain/refusal.ts';
import { deleteProviderTemplate, findProviderTemplate } from '../gateway.ts';
import { getTemplateById, listTemplatePage as queryTemplates, putTemplateRow, deleteTemplateRow } from '../store/template.ts';
import { hasTemplateUses } from '../store/template-state.ts';
import { providerUnavailable, providerRejected } from './provider-problems.ts';

export { getTemplateByName as findTemplate } from '../store/template.ts';
export { deleteTemplateUseParts as releasingTemplate, createTemplateUseParts as usingTemplate } from '../store/template-state.ts';

/** A page of templates in the order of name and language (A36): approved ones, unless `status` says all or another one. */
export const listTemplates = async (
  companyId: number,
  query: { name?: string | undefined; status?: string | undefined; page: number; limit: number; cursor: string | undefined },
): Promise<Page<StoredTemplate> | Problem<'invalid_cursor'>> => {
  const { name, page, limit, cursor } = query;
  const given = query.status?.toUpperCase() ?? 'APPROVED';
  const status = given === 'ALL' ? undefined : given;
  const scope = `templates:${companyId}:${status ?? ''}:${name ?? ''}`;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const skip = after ? 0 : (page - 1) * limit;
  // the provider allows 6,000 templates: no page lies beyond
  const [found, total] = await Promise.all([
    skip >= maxTemplates ? emptyPage : queryTemplates(companyId, { status, name, after, limit: skip + limit }),
    countTemplates(companyId, status, name),
  ]);
  const items = found.templates.slice(skip);
  const last = found.hasMore ? items.at(-1) : undefined;
  return { items, total, page, limit, nextCursor: last && encodeCursor(scope, { name: last.name, language: last.language }) };
};

/** 1 RRU. */
export const getTemplate = async (companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found'>> =>
  (await getTemplateById(companyId, id)) ?? problem('not_found');

/**
 * Whether work that runs or is scheduled needs the template. Campaigns say so by `usingTemplate` and `releasingTemplate`, as parts of the
 * transactions that start and end their work.
 */
export const isTemplateInUse = (companyId: number, templateId: number): Promise<boolean> => hasTemplateUses(companyId, templateId);

/**
 * Deletes a template in its language at the provider, then here (A36). What the provider no longer has counts as deleted there; what
 * could not be told stays here, and the call may be repeated.
 */
export const deleteTemplate = async (
  companyId: number,
  id: number,
): Promise<
  { id: number } | Problem<'not_found' | 'template_in_use' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>
> => {
  const number = await getActiveNumber(companyId);
  const marked = await claimDeletion(companyId, id);
  if (isProblem(marked)) return marked;
  const held = number ? await deleteAtProvider(marked, number) : problem('number_missing');
  if (held) {
    // refused when a webhook was faster; then the mark lapses by itself
    await putTemplateRow({ ...marked, deletingAt: undefined }, marked);
    return held;
  }
  await deleteLatest(companyId, id);
  return { id };
};

const maxTemplates = 100_000;
const emptyPage = { templates: [], hasMore: false };
const cursorPosition = z.object({ name: z.string(), language: z.string() });

/** The head of a status (or of all) keeps its total; the languages of one name are counted. */
async function countTemplates(companyId: number, status: string | undefined, name: string | undefined): Promise<number> {
  if (name !== undefined) return (await queryTemplates(companyId, { status, name, after: undefined, limit: 1_000 })).templates.length;
  return (await getCounter(companyId, status === undefined ? templateEntityName : `${templateEntityName}:${status}`)).total;
}

/** Why the template cannot go; undefined: the provider does not have it any more. */
async function deleteAtProvider(
  template: StoredTemplate,
  number: BusinessNumber,
): Promise<Problem<'template_in_use' | 'provider_rejected' | 'temporarily_unavailable'> | undefined> {
  if (await isTemplateInUse(template.companyId, template.id)) return problem('template_in_use');
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

/** From here on no campaign begins to use it. */
async function claimDeletion(companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found' | 'temporarily_unavailable'>> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const template = await getTemplateById(companyId, id);
    if (!template) return problem('not_found');
    const marked = await putTemplateRow({ ...template, deletingAt: now() }, template);
    if (marked.done) return marked.item;
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
}

/** Removes it as it stands, whatever webhooks have written meanwhile. */
async function deleteLatest(companyId: number, id: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const template = await getTemplateById(companyId, id);
    if (!template || (await deleteTemplateRow(template, tombstone(template, now())))) return;
  }
  throw new Error('A template changed too often to be removed.');
}

/** Writes race by `rev`: who lost reads again. */
const maxAttempts = 10;
