import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { sendBlockOf } from '../../functions/account/contract/number-state.ts';
import { listBusinessNumbers } from '../../functions/account/service/numbers.ts';
import { webhookFields } from '../../functions/messaging/domain/webhook-fields.ts';
import { newCompany, providerPost, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What the provider states of an account or a number is seen at the number, in /me, as an event, and holds what it makes impossible. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const post = async (company: TestCompany, field: string, value: object, account = company.number.wabaId): Promise<void> => {
  const entry = [{ id: account, time: Math.floor(testApp.clock.now() / 1_000), changes: [{ field, value }] }];
  const answer = await testApp.call(providerPost(company, { object: 'whatsapp_business_account', entry }));
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  await testApp.drain();
};
const shown = async (company: TestCompany): Promise<Record<string, unknown>> => {
  const read = async (path: string) =>
    z.looseObject({ data: z.unknown() }).parse((await testApp.call({ method: 'GET', path, token: company.tokens.owner })).body).data;
  const [number] = z.array(z.looseObject({})).parse(await read('/api/v1/numbers'));
  const me = z.object({ numbers: z.array(z.looseObject({})) }).parse(await read('/api/v1/me')).numbers[0];
  expect(number).toMatchObject(me ?? {});
  return number ?? {};
};
const published = (company: TestCompany): number =>
  testApp.events.filter((each) => JSON.stringify(each).includes('number.updated') && JSON.stringify(each).includes(company.number.phone))
    .length;
const isBlocked = async (company: TestCompany): Promise<boolean> => {
  const [number] = await listBusinessNumbers(company.id);
  return number !== undefined && sendBlockOf(number, testApp.clock.now()) !== undefined;
};

const at = { display_phone_number: '+1 555-010-0001' };
test.each<[field: string, value: (company: TestCompany) => object, expected: Record<string, unknown>, isHeld?: boolean]>([
  [
    'phone_number_quality_update',
    () => ({ ...at, event: 'FLAGGED', current_limit: 'TIER_1K' }),
    { quality: 'RED', messaging_limit: 'TIER_1K' },
  ],
  ['phone_number_name_update', () => ({ ...at, decision: 'DECLINED', requested_verified_name: 'Cedar' }), { name_status: 'DECLINED' }],
  ['business_capability_update', () => ({ max_daily_conversation_per_phone: -1 }), { messaging_limit: 'UNLIMITED' }],
  ['account_review_update', () => ({ decision: 'REJECTED' }), { account_review: 'REJECTED' }],
  ['account_update', () => ({ event: 'VERIFIED_ACCOUNT', phone_number: '15550100001' }), { account_review: 'VERIFIED' }],
  ['account_update', () => ({ event: 'ACCOUNT_OFFBOARDED' }), { account_state: 'ACCOUNT_OFFBOARDED' }, true],
  ['account_update', () => ({ event: 'ACCOUNT_DELETED' }), { account_state: 'ACCOUNT_DELETED' }, true],
  ['account_update', () => ({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }), { account_state: 'DISABLE' }, true],
  [
    'account_update',
    () => ({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } }),
    { account_state: 'SCHEDULE_FOR_DISABLE' },
  ],
  ['account_update', () => ({ event: 'PARTNER_APP_UNINSTALLED' }), { account_state: 'PARTNER_APP_UNINSTALLED' }, true],
])(
  '%s is shown, published once however often it comes, and holds sends where it must: %#',
  async (field, value, expected, isHeld = false) => {
    const company = await newCompany();
    const phone = { display_phone_number: company.number.phone };
    const body = { ...value(company), ...('display_phone_number' in value(company) ? phone : {}) };
    await post(company, field, body);
    await post(company, field, body);
    expect(await shown(company)).toMatchObject(expected);
    expect([published(company), await isBlocked(company)]).toEqual([1, isHeld]);
    expect(webhookFields).toContain(field);
  },
);

test('a partnership that ends comes from the partner’s business, and holds the account that it names until it is there again', async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  const value = (event: string, wabaId: string) => ({ event, waba_info: { waba_id: wabaId, owner_business_id: '2329417887457253' } });
  await post(company, 'account_update', value('PARTNER_REMOVED', other.number.wabaId), '2949482758682047');
  expect(await shown(company)).toMatchObject({ account_state: null });
  await post(company, 'account_update', value('PARTNER_REMOVED', company.number.wabaId), '2949482758682047');
  expect([await shown(company), await isBlocked(company)]).toMatchObject([{ account_state: 'PARTNER_REMOVED' }, true]);
  await post(company, 'account_update', value('PARTNER_ADDED', company.number.wabaId), '2949482758682047');
  expect([await shown(company), await isBlocked(company)]).toMatchObject([{ account_state: 'ACTIVE' }, false]);
  expect(await shown(other)).toMatchObject({ account_state: null });
});
