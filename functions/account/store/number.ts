import * as z from 'zod';
import { all, any, type ConditionOn, differs, exists, missing } from '../../../shared/table/condition.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { entity, type ItemOf, type ChangeOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { numberEntityName, numberState } from '../contract/number-state.ts';

export const numberEntity = entity({
  name: numberEntityName,
  audited: true,
  purpose: 'A business number at the provider, with its sealed secrets',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    /** Digits with country code. */
    phone: z.string(),
    phoneNumberId: z.string(),
    wabaId: z.string(),
    sealedAccessToken: z.string(),
    sealedAppSecret: z.string().optional(),
    verifyTokenHash: z.string(),
    version: z.string(),
    baseUrl: z.string().optional(),
    /** The app of the provider whose receiver its webhooks come to: its company's, or a shared one. Absent: one that is no record. */
    appId: z.string().optional(),
    ratePerSecond: z.int(),
    status: z.enum(['active', 'inactive']),
    /** The status of its company, where that is not active. */
    companyStatus: z.literal('suspended').optional(),
    ...numberState.shape,
    /** Sends that name no number leave from it; the oldest active one where none is. */
    isDefault: z.boolean().optional(),
    /** The last change of what the provider alone has of it: its profile, its links. For the audit log. */
    providerChange: z.object({ what: z.string(), at: z.int() }).optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: NumberId) => ({ pk: partition(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#NUMBER', sk: '<number>' },
});
export type NumberItem = ItemOf<typeof numberEntity>;
export interface NumberId {
  companyId: number;
  id: number;
}

const numberProviderIdEntity = entity({
  name: 'number-provider-id',
  purpose: "Makes a provider's phone number id unique within a company",
  attributes: z.object({ companyId: z.int(), phoneNumberId: z.string(), numberId: z.int() }),
  key: ({ companyId, phoneNumberId }: { companyId: number; phoneNumberId: string }) => ({
    pk: `${tenant(companyId)}#NUMBER_PROVIDER_ID`,
    sk: phoneNumberId,
  }),
  idOf: ({ companyId, phoneNumberId }) => ({ companyId, phoneNumberId }),
  example: { pk: 'C#<company>#NUMBER_PROVIDER_ID', sk: '<phone_number_id>' },
});

export const nextNumberId = (companyId: number): Promise<number> => nextIds(companyId, 'number', 1);

/** All numbers, oldest first. Sends and webhooks filter this one read, so that numbers need no further keys. */
export const listAllNumbers = pattern(
  { question: 'the business numbers of a company', entity: 'business-number', by: 'Query', units: '0.5 RRU for about 5, consistently 1' },
  (companyId: number, { consistent = false }: { consistent?: boolean } = {}): Promise<NumberItem[]> =>
    numberEntity.collect({ pk: partition(companyId), consistent }),
);

export const getNumberItem = pattern(
  { question: 'a business number by id', entity: 'business-number', by: 'GetItem', units: '1 RRU, read consistently' },
  (companyId: number, id: number): Promise<NumberItem | undefined> => numberEntity.get({ companyId, id }, { consistent: true }),
);

export const updateNumberStatusOfCompany = pattern(
  { question: 'whether the company of a number is suspended', entity: 'business-number', by: 'UpdateItem', units: '1 WRU' },
  async (number: NumberId, companyStatus: 'suspended' | undefined): Promise<void> => {
    await numberEntity.change({ companyId: number.companyId, id: number.id }, { set: { companyStatus } }, exists());
  },
);

export const createNumberParts = (number: NumberItem): TransactionPart[] => [
  numberEntity.putting(number, missing()),
  numberProviderIdEntity.putting({ companyId: number.companyId, phoneNumberId: number.phoneNumberId, numberId: number.id }, missing()),
];
export const updateNumberPart = (
  number: NumberId,
  change: ChangeOf<typeof numberEntity>,
  condition: ConditionOn<NumberItem>,
): TransactionPart => numberEntity.changing({ companyId: number.companyId, id: number.id }, change, condition);

/** Its webhooks come to the receiver of this app. */
export const nameAppOfNumberPart = ({ companyId, id }: NumberId, appId: string): TransactionPart =>
  numberEntity.changing({ companyId, id }, { set: { appId } }, exists());

function partition(companyId: number): string {
  return `${tenant(companyId)}#NUMBER`;
}

export const setProviderChange = pattern(
  {
    question: 'something of a number was changed at the provider, once however often it is said',
    entity: 'business-number',
    by: 'UpdateItem',
    units: '1 WRU',
  },
  async (id: NumberId, providerChange: NonNullable<NumberItem['providerChange']>): Promise<void> =>
    void (await numberEntity.change(
      id,
      { set: { providerChange } },
      all(exists(), any(missing('providerChange'), differs('providerChange', providerChange))),
    )),
);
