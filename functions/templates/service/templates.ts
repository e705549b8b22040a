import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { type StoredTemplate, templateEntityName } from '../contract/stored.ts';
import { getTemplateById, getTemplateByName, listTemplatePage } from '../store/template.ts';

/** A page of templates by name and language: approved ones, unless `status` names another one or `all`. */
export const listTemplates = async (
  companyId: number,
  query: { name?: string | undefined; status?: string | undefined; page: number; limit: number; cursor: string | undefined },
): Promise<Page<StoredTemplate> | Problem<'invalid_cursor'>> => {
  const { name, page, limit, cursor } = query;
  const given = query.status?.toUpperCase() ?? 'APPROVED';
  const status = given === 'ALL' ? undefined : given;
  const scope = `templates:${companyId}:${status ?? ''}:${name ?? ''}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const skip = after ? 0 : (page - 1) * limit;
  // the provider allows 6,000 templates: pages beyond are empty
  const [found, total] = await Promise.all([
    skip >= maxTemplates ? emptyPage : listTemplatePage(companyId, { status, name, after, limit: skip + limit }),
    countTemplates(companyId, status, name),
  ]);
  const items = found.templates.slice(skip);
  const last = found.hasMore ? items.at(-1) : undefined;
  return { items, total, page, limit, nextCursor: last && (await encodeCursor(scope, { name: last.name, language: last.language })) };
};

/** 1 RRU. */
export const getTemplate = async (companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found'>> =>
  (await getTemplateById(companyId, id)) ?? problem('not_found');

/** The approved template of a name and language, to be sent; otherwise why it cannot be, with the languages that there are. */
export const getApprovedTemplate = async (
  companyId: number,
  name: string,
  language: string,
): Promise<StoredTemplate | Problem<'template_not_found' | 'template_not_approved'>> => {
  const template = await getTemplateByName(companyId, name, language);
  if (template?.status === 'APPROVED') return template;
  if (template) return problem('template_not_approved', { details: { status: template.status, template_id: template.id } });
  const { templates } = await listTemplatePage(companyId, { status: undefined, name, after: undefined, limit: 100 });
  return problem('template_not_found', {
    details: { template_name: name, template_language: language, languages: templates.map((each) => each.language) },
  });
};

/** The status of a template now; undefined: there is none of this name and language. 0.5 RRU, a miss 1.5. */
export const getTemplateStatus = async (companyId: number, name: string, language: string): Promise<string | undefined> =>
  (await getTemplateByName(companyId, name, language))?.status;

/** Up to five approved templates that could be sent in place of a free-form message, UTILITY first. */
export const suggestTemplates = async (companyId: number): Promise<StoredTemplate[]> => {
  const { templates } = await listTemplatePage(companyId, { status: 'APPROVED', name: undefined, after: undefined, limit: 50 });
  return templates
    .filter(({ category }) => category !== 'AUTHENTICATION')
    .toSorted((a, b) => Number(b.category === 'UTILITY') - Number(a.category === 'UTILITY'))
    .slice(0, 5);
};

const maxTemplates = 100_000;
const emptyPage = { templates: [], hasMore: false };
const cursorPosition = z.object({ name: z.string(), language: z.string() });

/** Totals by status come from a counter; the languages of one name are counted. */
async function countTemplates(companyId: number, status: string | undefined, name: string | undefined): Promise<number> {
  if (name !== undefined) return (await listTemplatePage(companyId, { status, name, after: undefined, limit: 1_000 })).templates.length;
  return (await getCounter(companyId, status === undefined ? templateEntityName : `${templateEntityName}:${status}`)).total;
}
