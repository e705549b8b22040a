import * as z from 'zod';
import { protectedPartitions } from '../../../shared/contract/resource.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { exists, missing, type ConditionOn } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written, type ChangeOf } from '../../../shared/table/entity.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { planLimits } from '../contract/plan.ts';
import { companyEntityName } from '../contract/stored-company.ts';

export const companyEntity = entity({
  name: companyEntityName,
  audited: true,
  purpose: 'A company: plan, settings, and its numbers of active users and numbers (written in the same transactions as those)',
  attributes: z.object({
    companyId: z.int(),
    name: z.string(),
    timezone: z.string(),
    status: z.enum(['active', 'suspended']),
    plan: z.object({ name: z.string(), limits: planLimits }),
    settings: z.looseObject({
      /** Copied to credentials, as `refusesQueryToken`. */
      queryTokens: z.boolean().default(true),
      windowPolicy: z.enum(['provider', 'enforce']).default('provider'),
      strictFields: z.boolean().default(false),
      /** Copied to credentials, as `refusesUnknownFields`. */
      strictInput: z.boolean().default(false),
      /** Copied to credentials, as `logsRequests`. */
      requestLog: z.enum(['refused', 'all', 'none']).default('refused'),
      /** Copied to credentials, as `logsBodies`. */
      requestBodies: z.boolean().default(false),
      subscribedByDefault: z.boolean().default(true),
      assignOnReply: z.enum(['none', 'sessions', 'all']).default('none'),
      taskReminderMinutes: z.int().default(10),
      taskReminderTemplateId: z.int().optional(),
      /** ISO 3166-1 alpha-2. */
      defaultCountry: z.string().optional(),
      /** Days after which messages are deleted; absent: they are kept. */
      retentionDays: z.int().optional(),
    }),
    userCount: z.int().default(0),
    numberCount: z.int().default(0),
    /** The verification profile for requests that name none. */
    defaultProfileId: z.string().optional(),
    /** When the suspension began; until the work that waited since then is placed again. */
    suspendedAt: z.int().optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId }: { companyId: number }) => ({ pk: tenant(companyId), sk: 'COMPANY' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>', sk: 'COMPANY' },
});
export type Company = ItemOf<typeof companyEntity>;

/** The operator's list: a pointer for each company, nothing of the company itself. */
const companyPointerEntity = entity({
  name: 'company-pointer',
  purpose: "The operator's list of companies: pointers only",
  attributes: z.object({ companyId: z.int() }),
  key: ({ companyId }: { companyId: number }) => ({ pk: protectedPartitions['company-pointer'], sk: sortable(companyId) }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'COMPANIES', sk: '<company>' },
});

/** The next company's id, from the one global sequence (G6). */
export const nextCompanyId = (): Promise<number> => nextIds(0, 'company', 1);

export const createCompanyAndPointer = pattern(
  { question: 'a new company', entity: 'company', by: 'TransactWriteItems', units: '4 WRU' },
  async (company: Company): Promise<void> => {
    const { companyId } = company;
    const committed = await commit({
      company: companyEntity.putting(company, missing()),
      pointer: companyPointerEntity.putting({ companyId }, missing()),
    });
    if (!committed.done) throw new Error(`The company id ${companyId} was assigned twice.`);
  },
);

export const getCompanyById = pattern(
  { question: 'a company by its id', entity: 'company', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, options: { consistent?: boolean } = {}): Promise<Company | undefined> => companyEntity.get({ companyId }, options),
);

export const listAllCompanies = pattern(
  { question: 'all companies, for the operator', entity: 'company-pointer', by: 'Query', units: '0.5 RRU a company' },
  async (): Promise<Company[]> => companyEntity.getMany(await companyPointerEntity.collect({ pk: protectedPartitions['company-pointer'] })),
);

export const updateCompanyById = pattern(
  { question: 'a change of a company', entity: 'company', by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, change: ChangeOf<typeof companyEntity>): Promise<Written<Company>> =>
    companyEntity.change({ companyId }, change, exists()),
);

/** Parts of transactions of other aggregates: a condition on the company, or a change of its counts. */
export const checkCompanyPart = (companyId: number, condition: ConditionOn<Company>): TransactionPart =>
  companyEntity.checking({ companyId }, condition);
export const updateCompanyPart = (
  companyId: number,
  change: ChangeOf<typeof companyEntity>,
  condition: ConditionOn<Company>,
): TransactionPart => companyEntity.changing({ companyId }, change, condition);
