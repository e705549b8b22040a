import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/** An applied delivery of a receiver, stored for 8 days. Its repeats change nothing. */
const deliveryEntity = entity({
  name: 'shop-delivery',
  purpose: 'An applied delivery of a receiver',
  attributes: z.object({ companyId: z.int(), key: z.string(), at: z.int() }),
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: `${tenant(companyId)}#DLV#${key}`, sk: 'DLV' }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  expiresAt: ({ at }) => Math.floor(at / 1_000) + 8 * 86_400,
  example: { pk: 'C#<company>#DLV#<receiver>:<delivery id or hash>', sk: 'DLV' },
});

export const isDeliveryApplied = pattern(
  { question: 'was this delivery applied', entity: 'shop-delivery', by: 'GetItem', units: '1 RRU, consistent' },
  async (companyId: number, key: string): Promise<boolean> =>
    (await deliveryEntity.get({ companyId, key }, { consistent: true })) !== undefined,
);

export const listAppliedDeliveries = pattern(
  { question: 'when these deliveries were applied', entity: 'shop-delivery', by: 'BatchGetItem', units: '0.5 RRU each' },
  (companyId: number, keys: readonly string[]): Promise<{ key: string; at: number }[]> =>
    deliveryEntity.getMany(keys.map((key) => ({ companyId, key }))),
);

export const putAppliedDelivery = pattern(
  { question: 'record an applied delivery', entity: 'shop-delivery', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, key: string, at: number): Promise<void> => {
    await deliveryEntity.put({ companyId, key, at });
  },
);

/** The applied delivery as a part of the transaction that it causes. */
export const appliedDeliveryPart = (companyId: number, key: string, at: number): TransactionPart =>
  deliveryEntity.putting({ companyId, key, at }, missing());

const testCalls = (companyId: number): string => `${tenant(companyId)}#TESTCALL`;

const testCallEntity = entity({
  name: 'shop-test-call',
  purpose: 'A call of the test receiver, for 24 hours',
  attributes: z.object({ companyId: z.int(), at: z.int(), event: z.string(), signature: z.string(), body: z.string() }),
  key: ({ companyId, at }: { companyId: number; at: number }) => ({ pk: testCalls(companyId), sk: sortable(at) }),
  idOf: ({ companyId, at }) => ({ companyId, at }),
  expiresAt: ({ at }) => Math.floor(at / 1_000) + 86_400,
  personalData: 'whatever a shop platform posted',
  example: { pk: 'C#<company>#TESTCALL', sk: '<time, 16 digits>' },
});

export const putTestCall = pattern(
  { question: 'store a call of the test receiver', entity: 'shop-test-call', by: 'PutItem', units: '1 WRU a KB' },
  async (call: { companyId: number; at: number; event: string; signature: string; body: string }): Promise<void> => {
    await testCallEntity.put(call);
  },
);

type TestCall = ItemOf<typeof testCallEntity>;

export const listStoredTestCalls = pattern(
  { question: 'the calls of the test receiver', entity: 'shop-test-call', by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number): Promise<TestCall[]> => testCallEntity.collect({ pk: testCalls(companyId) }),
);

export const deleteTestCall = pattern(
  { question: 'remove a test call about an erased customer', entity: 'shop-test-call', by: 'DeleteItem', units: '1 WRU a KB' },
  async (call: TestCall): Promise<void> => {
    await testCallEntity.delete(call);
  },
);

export const listNewestTestCalls = pattern(
  { question: 'the last 50 calls of the test receiver', entity: 'shop-test-call', by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number): Promise<TestCall[]> => testCallEntity.collect({ pk: testCalls(companyId), descending: true }, { atMost: 50 }),
);
