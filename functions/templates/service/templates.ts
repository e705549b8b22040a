import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { isOfAccount } from '../contract/account.ts';
import { type StoredTemplate, templateEntityName } from '../contract/stored.ts';
import { getTemplateById, getTemplateByName, listTemplatePage } from '../store/template.ts';

const position = z.object({ name: z.string(), language: z.string(), keyAccount: z.string().optional() });

/** A page of templates by name and language: approved ones, unless `status` names another one or `all`. */
export const listTemplates = (
  companyId: number,
  { name, status: given, ...query }: PageQuery & { name?: string | undefined; status?: string | undefined },
): Promise<Page<StoredTemplate> | Problem<'invalid_cursor'>> => {
  const status = given?.toUpperCase() === 'ALL' ? undefined : (given?.toUpperCase() ?? 'APPROVED');
  return listPage({ scope: `templates:${companyId}:${status ?? ''}:${name ?? ''}`, query, position }, async ({ after, skip, limit }) => {
    // the provider allows 6,000 templates: pages beyond are empty
    const [found, total] = await Promise.all([
      skip >= maxTemplates ? emptyPage : listTemplatePage(companyId, { status, name, after, limit: skip + limit }),
      countTemplates(companyId, status, name),
    ]);
    const items = found.templates.slice(skip);
    const last = found.hasMore ? items.at(-1) : undefined;
    return { items, total, next: last && { name: last.name, language: last.language, keyAccount: last.keyAccount } };
  });
};

/** 1 RRU. */
export const getTemplate = async (companyId: number, id: number): Promise<StoredTemplate | Problem<'not_found'>> =>
  (await getTemplateById(companyId, id)) ?? problem('not_found');

export interface TemplateRequest {
  name: string;
  language: string;
}

/** The number that a template is sent from: its business account, and all accounts of the company. */
export interface SendingAccount {
  accountId: string | undefined;
  accountIds: readonly string[];
}

/** The row of a name and language, of the account that had them first. 0.5 RRU, a miss 1.5. */
export const getFirstTemplate = (companyId: number, { name, language }: TemplateRequest): Promise<StoredTemplate | undefined> =>
  getTemplateByName(companyId, name, language);

/**
 * The template of a name and language in the account of a number; undefined: there is none. `first` is what getFirstTemplate read. Nothing
 * more is read where it is the account's: 0.5 RRU otherwise, a miss 1.5.
 */
export const getTemplateOfAccount = async (
  companyId: number,
  { name, language }: TemplateRequest,
  { accountId, accountIds }: SendingAccount,
  first: StoredTemplate | undefined,
): Promise<StoredTemplate | undefined> => {
  if (first && isOfAccount(first, accountId, accountIds)) return first;
  return accountId === undefined ? undefined : getTemplateByName(companyId, name, language, accountId);
};

/** The approved template of a name and language, to be sent; otherwise why it cannot be, with the languages that there are. */
export const getApprovedTemplate = async (
  companyId: number,
  { name, language }: TemplateRequest,
  template: StoredTemplate | undefined,
): Promise<StoredTemplate | Problem<'template_not_found' | 'template_not_approved'>> => {
  if (template?.status === 'APPROVED') return template;
  if (template) return problem('template_not_approved', { details: { status: template.status, template_id: template.id } });
  const { templates } = await listTemplatePage(companyId, { status: undefined, name, after: undefined, limit: 100 });
  const languages = [...new Set(templates.map((each) => each.language))];
  return problem('template_not_found', {
    message:
      languages.length === 0
        ? `There is no template ${name}. Create it, or sync with POST /templates/sync.`
        : `There is no template ${name} in ${language}; it exists in ${languages.join(', ')}.`,
    details: { template_name: name, template_language: language, languages },
  });
};

/** Up to five approved templates that could be sent from a number in place of a free-form message, UTILITY first. */
export const suggestTemplates = async (companyId: number, { accountId, accountIds }: SendingAccount): Promise<StoredTemplate[]> => {
  const { templates } = await listTemplatePage(companyId, { status: 'APPROVED', name: undefined, after: undefined, limit: 50 });
  return templates
    .filter((template) => template.category !== 'AUTHENTICATION' && isOfAccount(template, accountId, accountIds))
    .toSorted((a, b) => Number(b.category === 'UTILITY') - Number(a.category === 'UTILITY'))
    .slice(0, 5);
};

const maxTemplates = 100_000;
const emptyPage = { templates: [], hasMore: false };

/** Totals by status come from a counter; the languages of one name are counted. */
async function countTemplates(companyId: number, status: string | undefined, name: string | undefined): Promise<number> {
  if (name !== undefined) return (await listTemplatePage(companyId, { status, name, after: undefined, limit: 1_000 })).templates.length;
  return (await getCounter(companyId, status === undefined ? templateEntityName : `${templateEntityName}:${status}`)).total;
}
