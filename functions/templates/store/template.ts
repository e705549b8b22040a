import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { isOfAccount } from '../contract/account.ts';
import { normalizeLanguage, templateKey } from '../domain/name.ts';
import { storedTemplate, templateEntityName, type StoredTemplate } from '../contract/stored.ts';

/**
 * A company's templates are one partition, by name and language: the key makes them unique, a send reads its template in one call, and the
 * languages of a name are neighbours. The list index holds those of one status in the same order. The provider allows 6,000.
 */
export const templateEntity = entity({
  name: templateEntityName,
  purpose: 'A message template in one language, as the provider has it',
  attributes: storedTemplate,
  key: (template: TemplateName) => ({ pk: partition(template.companyId), sk: nameKey(template) }),
  idOf: ({ companyId, name, language, keyAccount }): TemplateName => ({ companyId, name, language, keyAccount }),
  indexedBy: ['companyId', 'id', 'name', 'language', 'keyAccount', 'status'],
  indexes: (template) =>
    isListedTemplate(template) ? { list: { pk: statusPartition(template.companyId, template.status), sk: nameKey(template) } } : {},
  expiresAt: (template) => (isListedTemplate(template) ? undefined : Math.floor(template.createdAt / 1_000) + unlistedDays * 86_400),
  example: { pk: 'C#<company>#TEMPLATE', sk: '<name>#<language>, and #<account> of a further one' },
});

const templateIdEntity = entity({
  name: 'template-id',
  purpose: 'Which name and language a template id stands for',
  attributes: z.object({ companyId: z.int(), id: z.int(), name: z.string(), language: z.string(), keyAccount: z.string().optional() }),
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#TEMPLATE_ID`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#TEMPLATE_ID', sk: '<id, 16 digits>' },
});

export interface TemplateName {
  companyId: number;
  name: string;
  language: string;
  /** Of a template whose name and language another account had first. */
  keyAccount?: string | undefined;
}

/** Whether it is a template of the company, and not only known from a webhook. */
export const isListedTemplate = (template: Pick<StoredTemplate, 'id'>): boolean => template.id > 0;

export const reserveTemplateIds = (companyId: number, count: number): Promise<number> => nextIds(companyId, templateEntityName, count);

/** A miss is read again consistently, so that a template is found right after a sync. `keyAccount`: see the entity's key. */
export const getTemplateByName = pattern(
  { question: 'a template by its name and language', entity: templateEntityName, by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, name: string, language: string, keyAccount?: string): Promise<StoredTemplate | undefined> => {
    const key = { companyId, name, language: normalizeLanguage(language), keyAccount };
    const found = (await templateEntity.get(key)) ?? (await templateEntity.get(key, { consistent: true }));
    return found && isListedTemplate(found) ? found : undefined;
  },
);

/** The row of a name and language, also one that is known from a webhook only. */
export const getTemplateRow = pattern(
  { question: 'the row of a name and language, consistently', entity: templateEntityName, by: 'GetItem', units: '1 RRU' },
  (companyId: number, name: string, language: string, keyAccount?: string): Promise<StoredTemplate | undefined> =>
    templateEntity.get({ companyId, name, language, keyAccount }, { consistent: true }),
);

/** The row of a name and language in a business account, or the key under which one can be created. */
export interface TemplatePlace {
  row: StoredTemplate | undefined;
  keyAccount: string | undefined;
}

/** Where the template of an account is stored: under its name and language, unless another account of the company had these first. */
export const findTemplatePlace = pattern(
  {
    question: 'the row of a name and language in an account, consistently',
    entity: templateEntityName,
    by: 'GetItem',
    units: '1 or 2 RRU',
  },
  async (
    companyId: number,
    { name, language }: { name: string; language: string },
    accountId: string | undefined,
    accountIds: readonly string[],
  ): Promise<TemplatePlace> => {
    const plain = await getTemplateRow(companyId, name, language);
    if (accountId === undefined || (plain && (plain.wabaId ?? accountId) === accountId)) return { row: plain, keyAccount: undefined };
    const row = await getTemplateRow(companyId, name, language, accountId);
    if (row) return { row, keyAccount: accountId };
    const isPlainFree = !plain || isOfAccount(plain, accountId, accountIds);
    return isPlainFree ? { row: plain, keyAccount: undefined } : { row: undefined, keyAccount: accountId };
  },
);

/** Two reads, one after the other; a miss is read again consistently. */
export const getTemplateById = pattern(
  { question: 'a template by its id', entity: templateEntityName, by: 'GetItem', units: '1 RRU (a miss up to 4)' },
  async (companyId: number, id: number): Promise<StoredTemplate | undefined> =>
    (await resolveId(companyId, id)) ?? (await resolveId(companyId, id, { consistent: true })),
);

export interface TemplateQuery {
  /** Undefined: any. */
  status: string | undefined;
  name: string | undefined;
  /** Where the page before ended. */
  after: { name: string; language: string; keyAccount?: string | undefined } | undefined;
  limit: number;
}

/** Templates by name and language. `hasMore`: the page was cut. */
export const listTemplatePage = pattern(
  {
    question: 'templates of a status, or all, by name',
    entity: templateEntityName,
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB (about 4 templates)',
  },
  async (companyId: number, { status, name, after, limit }: TemplateQuery): Promise<{ templates: StoredTemplate[]; hasMore: boolean }> => {
    const templates = await templateEntity.collect(
      {
        ...(status === undefined ? { pk: partition(companyId) } : { pk: statusPartition(companyId, status), index: 'list' as const }),
        ...(name === undefined ? {} : { begins: `${name}#` }),
        after:
          after && templateEntity.startKey({ companyId, id: 1, status: status ?? '', ...after }, status === undefined ? undefined : 'list'),
      },
      { atMost: limit + 1, where: isListedTemplate },
    );
    return { templates: templates.slice(0, limit), hasMore: templates.length > limit };
  },
);

/** All rows of a company, also those that are known from a webhook only. */
export const listTemplateRows = pattern(
  { question: 'all templates of a company, consistently', entity: templateEntityName, by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number): Promise<StoredTemplate[]> => templateEntity.collect({ pk: partition(companyId), consistent: true }),
);

/** Creates a template. `seen` is the row that was under its name, if any. */
export const createTemplateRow = pattern(
  {
    question: 'a new template, unless its name and language are taken',
    entity: templateEntityName,
    by: 'TransactWriteItems',
    units: '6 WRU',
  },
  async (template: StoredTemplate, seen: StoredTemplate | undefined): Promise<Written<StoredTemplate>> => {
    const { companyId, id, name, language, keyAccount } = template;
    const committed = await commit({
      template: templateEntity.putting(template, unchangedSince(seen)),
      id: templateIdEntity.putting({ companyId, id, name, language, ...defined({ keyAccount }) }, missing()),
      replacedId: seen && isListedTemplate(seen) ? templateIdEntity.deleting({ companyId, id: seen.id }) : undefined,
    });
    if (committed.done) return { done: true, item: template };
    const { template: refused } = committed.refused;
    if (!refused) throw new Error('A template id was assigned twice.');
    return { done: false, current: refused.current };
  },
);

/** Replaces a row, if it was not written since `seen` was read. `rev` is raised here. */
export const putTemplateRow = pattern(
  {
    question: 'a template changes',
    entity: templateEntityName,
    by: 'PutItem',
    units: '1 WRU a KB, twice that in the index, 4 when the status moves',
  },
  (template: StoredTemplate, seen: StoredTemplate | undefined): Promise<Written<StoredTemplate>> =>
    templateEntity.put({ ...template, rev: (seen?.rev ?? 0) + 1 }, unchangedSince(seen)),
);

/** Deletes a template; `left` stays under its name for a while. False: the row was written since it was read. */
export const deleteTemplateRow = pattern(
  { question: 'a template goes', entity: templateEntityName, by: 'TransactWriteItems', units: '6 WRU' },
  async (seen: StoredTemplate, left: StoredTemplate | undefined): Promise<boolean> => {
    const { companyId, id } = seen;
    const committed = await commit({
      template: left ? templateEntity.putting(left, unchangedSince(seen)) : templateEntity.deleting(seen, unchangedSince(seen)),
      id: isListedTemplate(seen) ? templateIdEntity.deleting({ companyId, id }) : undefined,
    });
    return committed.done;
  },
);

/** How long a row that is known from a webhook only is stored; a sync reads the template long before. */
const unlistedDays = 30;

const unchangedSince = (seen: StoredTemplate | undefined) => (seen ? equals('rev', seen.rev) : missing());

async function resolveId(companyId: number, id: number, options: { consistent?: boolean } = {}): Promise<StoredTemplate | undefined> {
  const pointer = await templateIdEntity.get({ companyId, id }, options);
  const template = pointer && (await templateEntity.get(pointer, options));
  return template?.id === id ? template : undefined;
}

const partition = (companyId: number): string => `${tenant(companyId)}#TEMPLATE`;
const statusPartition = (companyId: number, status: string): string => `${tenant(companyId)}#TEMPLATE#${status}`;
const nameKey = ({ name, language, keyAccount }: Omit<TemplateName, 'companyId'>): string =>
  `${templateKey({ name, language })}${keyAccount === undefined ? '' : `#${keyAccount}`}`;
