import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { readHead } from '../../../shared/table/head.ts';
import { activeNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import { type StoredTemplate, templateEntityName } from '../contract/template-stored.ts';
import { tombstone } from '../domain/template-news.ts';
import { isMissing } from '../domain/template-refusal.ts';
import { deleteAtProvider, lookUpTemplate } from '../gateway/templates.ts';
import { getTemplate, listTemplates as queryTemplates, putTemplateRow, removeTemplate } from '../store/template.ts';
import { isTemplateUsed } from '../store/template-state.ts';
import { busy, refused } from './template-answers.ts';

export { findTemplate } from '../store/template.ts';
export { releasingTemplate, usingTemplate } from '../store/template-state.ts';

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
    skip >= maxTemplates ? nothing : queryTemplates(companyId, { status, name, after, limit: skip + limit }),
    totalOf(companyId, status, name),
  ]);
  const items = found.templates.slice(skip);
  const last = found.hasMore ? items.at(-1) : undefined;
  return { items, total, page, limit, nextCursor: last && encodeCursor(scope, { name: last.name, language: last.language }) };
};

/** 1 RRU. */
export const readTemplate = async (companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found'>> =>
  (await getTemplate(companyId, id)) ?? problem('not_found');

/**
 * Whether work that runs or is scheduled needs the template. Campaigns say so by `usingTemplate` and `releasingTemplate`, as parts of the
 * transactions that start and end their work.
 */
export const isTemplateInUse = (companyId: number, templateId: number): Promise<boolean> => isTemplateUsed(companyId, templateId);

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
  const number = await activeNumber(companyId);
  const marked = await markDeleting(companyId, id);
  if (isProblem(marked)) return marked;
  const held = number ? await hindrance(marked, number) : problem('number_missing');
  if (held) {
    // refused when a webhook was faster; then the mark lapses by itself
    await putTemplateRow({ ...marked, deletingAt: undefined }, marked);
    return held;
  }
  await removeWhatever(companyId, id);
  return { id };
};

const maxTemplates = 100_000;
const nothing = { templates: [], hasMore: false };
const cursorPosition = z.object({ name: z.string(), language: z.string() });

/** The head of a status (or of all) keeps its total; the languages of one name are counted. */
async function totalOf(companyId: number, status: string | undefined, name: string | undefined): Promise<number> {
  if (name !== undefined) return (await queryTemplates(companyId, { status, name, after: undefined, limit: 1_000 })).templates.length;
  return (await readHead(companyId, status === undefined ? templateEntityName : `${templateEntityName}:${status}`)).total;
}

/** Why the template cannot go; undefined: the provider does not have it any more. */
async function hindrance(
  template: StoredTemplate,
  number: BusinessNumber,
): Promise<Problem<'template_in_use' | 'provider_rejected' | 'temporarily_unavailable'> | undefined> {
  if (await isTemplateInUse(template.companyId, template.id)) return problem('template_in_use');
  let { providerId } = template;
  if (providerId === undefined) {
    const found = await lookUpTemplate(number, template.name, template.language);
    if (found.outcome === 'refused') return refused(found.refusal, template.components);
    if (found.outcome !== 'done') return busy(found);
    if (!found.value) return undefined;
    providerId = found.value.providerId;
  }
  const deleted = await deleteAtProvider(number, template.name, providerId);
  if (deleted.outcome === 'done') return undefined;
  if (deleted.outcome === 'refused') return isMissing(deleted.refusal) ? undefined : refused(deleted.refusal, template.components);
  return busy(deleted);
}

/** From here on no campaign begins to use it. */
async function markDeleting(companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found' | 'temporarily_unavailable'>> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const template = await getTemplate(companyId, id);
    if (!template) return problem('not_found');
    const marked = await putTemplateRow({ ...template, deletingAt: now() }, template);
    if (marked.done) return marked.item;
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
}

/** Removes it as it stands, whatever webhooks have written meanwhile. */
async function removeWhatever(companyId: number, id: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const template = await getTemplate(companyId, id);
    if (!template || (await removeTemplate(template, tombstone(template, now())))) return;
  }
  throw new Error('A template changed too often to be removed.');
}

/** Writes race by `rev`: who lost reads again. */
const maxAttempts = 10;
