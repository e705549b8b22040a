import { afterAll, describe, expect, test } from 'vitest';
import { updateAccountFromProvider } from '../../functions/account/service/provider-updates.ts';
import { addNumber } from '../../functions/account/service/numbers.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { checkBusinessNumber } from '../../functions/administration/service/check-number.ts';
import { listBusinessNumbers } from '../../functions/account/service/numbers.ts';
import { checkLeaseMs, nextCheckAt, observedState } from '../../functions/templates/domain/account-check.ts';
import { toHealth } from '../../functions/account/contract/health.ts';
import { checkAccounts } from '../../functions/templates/service/check-accounts.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTemplateFixture } from './fixture.ts';
import { only } from '../messaging/fixture.ts';

/** Accounts, numbers and templates that are read from the provider once a day. */
const fixture = await startTemplateFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;

const data = async <T>(company: TestCompany, path: string, body?: object): Promise<T> => {
  const answer = await testApp.call({
    method: body ? 'POST' : 'GET',
    path: `/api/v1${path}`,
    token: company.tokens.owner,
    ...(body ? { body } : {}),
  });
  expect(answer.status, answer.raw).toBe(200);
  return (answer.body as { data: T }).data;
};
/** The number as the provider has it from now on, which no webhook says. */
const atProvider = async (company: TestCompany, state: object): Promise<void> => {
  const listed = (await fixture.provider.control('GET', '/_local/provider/numbers', undefined))?.body as {
    data: Record<string, unknown>[];
  };
  const known = only(listed.data.filter((each) => each['phone_number_id'] === company.number.phoneNumberId));
  const secrets = { access_token: `token-of-company-${company.id}`, app_secret: company.appSecret };
  const answer = await fixture.provider.control('PUT', '/_local/provider/numbers', { ...known, ...secrets, ...state });
  expect(answer?.status).toBe(200);
};
/** The time of the company's next check comes, and what follows from it is worked off. */
const comesDue = async (company: TestCompany): Promise<void> => {
  await testApp.drain();
  const { dueAt } = only(await fixture.items(company.id, 'account-check')) as { dueAt: number };
  testApp.clock.advance(Math.max(0, dueAt - testApp.clock.now()) + 1_000);
  await testApp.tick();
  await testApp.drain();
};
const numberOf = async (company: TestCompany) => only(await data<Record<string, unknown>[]>(company, '/numbers'));
const readsOf = (company: TestCompany): string[] =>
  fixture.calls
    .filter(({ path }) => path.includes(company.number.phoneNumberId) || path.includes(company.number.wabaId))
    .map(({ path }) => path);

const payment = {
  entity_type: 'WABA',
  can_send_message: 'BLOCKED',
  error_code: 141_006,
  error_description: 'There is an error with the payment method.',
  possible_solution: 'Add a payment method.',
};

test('what lost webhooks would have said of a number, its account and its templates is known a day later, and shown', async () => {
  const company = await fixture.company();
  await fixture.templates(company, [
    { name: 'sale', language: 'en', category: 'MARKETING', status: 'APPROVED', components: [{ type: 'BODY', text: 'Our sale begins.' }] },
  ]);
  await updateAccountFromProvider(company.id, company.number.wabaId, { accountState: 'DISABLE' });
  await atProvider(company, { quality_rating: 'YELLOW', account_review_status: 'REJECTED' });
  await fixture.atProvider(company, [
    { name: 'sale', language: 'en', category: 'MARKETING', status: 'PAUSED', components: [{ type: 'BODY', text: 'Our sale begins.' }] },
  ]);
  await comesDue(company);
  expect(await numberOf(company)).toMatchObject({
    quality: 'YELLOW',
    account_review: 'REJECTED',
    account_state: 'ACTIVE',
    health: { can_send: 'AVAILABLE', reasons: [] },
    checked_at: expect.any(String),
  });
  expect(only(await fixture.items(company.id, 'business-number'))).toMatchObject({ currency: 'USD' });
  expect((await fixture.items(company.id, 'template')).map(({ name, status }) => [name, status])).toEqual([['sale', 'PAUSED']]);
  await atProvider(company, { health: payment });
  await comesDue(company);
  expect(await numberOf(company)).toMatchObject({
    health: { can_send: 'BLOCKED', reasons: [{ of: 'WABA', code: 141_006, fix: 'Add a payment method.' }] },
  });
  const preview = await data<{ warnings: unknown[] }>(company, '/campaigns/audience-preview', { audience_type: 'all' });
  expect(preview.warnings).toEqual([
    {
      code: 'sending_blocked',
      message: expect.stringContaining('There is an error with the payment method.'),
      fix: 'Add a payment method.',
    },
  ]);
  const { findings } = await checkBusinessNumber(only(await listBusinessNumbers(company.id)));
  expect(findings.filter(({ level }) => level === 'wrong').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('payment method'),
  );
  expect(findings).toContainEqual({ level: 'ok', message: expect.stringContaining('The daily check last read the number') });
});

test('a check reads once a day, also when it is woken more often', async () => {
  const company = await fixture.company();
  await testApp.drain();
  fixture.line();
  await checkAccounts(company.id);
  expect(readsOf(company)).toEqual([]);
  await comesDue(company);
  const reads = readsOf(company).length;
  expect(reads).toBeGreaterThan(0);
  await checkAccounts(company.id);
  testApp.clock.advance(dayMs / 2);
  await checkAccounts(company.id);
  expect(readsOf(company)).toHaveLength(reads);
  await comesDue(company);
  expect(readsOf(company)).toHaveLength(2 * reads);
});

test('an account that cannot be read does not stop the other one of the company, and is read again the next day', async () => {
  const company = await fixture.company();
  const other = { phone: '15559990001', phone_number_id: `8${company.number.phoneNumberId}`, waba_id: `8${company.number.wabaId}` };
  unwrap(await addNumber(company.id, { ...other, access_token: 'a token that the provider does not know', app_secret: 'secret' }));
  await atProvider(company, { quality_rating: 'RED' });
  await comesDue(company);
  const numbers = await data<{ phone_number_id: string; quality: string; checked_at: string | null }[]>(company, '/numbers');
  expect(numbers.map(({ quality, checked_at: at }) => [quality, at === null])).toEqual([
    ['RED', false],
    ['UNKNOWN', true],
  ]);
  const { dueAt } = only(await fixture.items(company.id, 'account-check')) as { dueAt: number };
  expect(dueAt).toBe(nextCheckAt(company.id, testApp.clock.now()));
});

test('a company that is suspended is not read, and is again once it is resumed', async () => {
  const company = await fixture.company();
  await testApp.drain();
  unwrap(await suspendCompany(company.id));
  fixture.line();
  await comesDue(company);
  expect(readsOf(company)).toEqual([]);
  unwrap(await resumeCompany(company.id));
  await comesDue(company);
  expect(readsOf(company)).not.toEqual([]);
});

test('a check that ends amid its work is made soon after, and a webhook that comes amid it is not undone', async () => {
  const company = await fixture.company();
  await testApp.drain();
  await atProvider(company, { quality_rating: 'RED' });
  const { dueAt } = only(await fixture.items(company.id, 'account-check')) as { dueAt: number };
  testApp.clock.advance(Math.max(0, dueAt - testApp.clock.now()) + 1_000);
  {
    let writes = 0;
    using _killed = testApp.onTable(({ command, input, when }) => {
      const isOfCheck = when === 'before' && command === 'PutItem' && JSON.stringify(input).includes('ACCOUNT_CHECK');
      if (isOfCheck && ++writes > 1) throw tableError('AccessDeniedException');
    });
    fixture.line(({ path }) =>
      path.includes(`${company.number.phoneNumberId}?`)
        ? { hold: () => updateAccountFromProvider(company.id, company.number.wabaId, { accountReview: 'VERIFIED' }) }
        : 'pass',
    );
    await expect(checkAccounts(company.id)).rejects.toThrow();
  }
  fixture.line();
  expect(await numberOf(company)).toMatchObject({ quality: 'UNKNOWN', account_review: 'VERIFIED', checked_at: null });
  testApp.clock.advance(checkLeaseMs + 1_000);
  await checkAccounts(company.id);
  expect(await numberOf(company)).toMatchObject({ quality: 'RED', account_review: 'APPROVED' });
});

describe('the time of a check', () => {
  test('is the same each day for a company, later than now, and spread over the day for many', () => {
    const at = Date.parse('2026-11-28T12:00:00Z');
    for (const companyId of [1, 2, 7, 4_711]) {
      const next = nextCheckAt(companyId, at);
      expect(next).toBeGreaterThan(at);
      expect(next).toBeLessThanOrEqual(at + dayMs);
      expect(nextCheckAt(companyId, next)).toBe(next + dayMs);
    }
    const hours = new Set(Array.from({ length: 240 }, (_, id) => Math.floor((nextCheckAt(id + 1, at) % dayMs) / 3_600_000)));
    expect(hours.size).toBe(24);
  });
});

describe('the health of a number', () => {
  const entity = (type: string, can: string, errors: object[] = []) => ({
    entity_type: type,
    can_send_message: can,
    errors: errors.map((each) => ({ error_description: '', possible_solution: '', ...each })),
    additional_info: [],
  });

  test('is that of the worst of its objects, without a line for calls', () => {
    const sip = entity('PHONE_NUMBER', 'LIMITED', [{ error_code: 138_024 }]);
    expect(toHealth({ can_send_message: 'LIMITED', entities: [sip, entity('WABA', 'AVAILABLE')] })).toEqual({
      canSend: 'AVAILABLE',
      reasons: [],
    });
    const unverified = entity('BUSINESS', 'LIMITED', [{ error_code: 141_010, error_description: 'Not verified' }]);
    expect(toHealth({ can_send_message: 'BLOCKED', entities: [sip, unverified] })).toEqual({
      canSend: 'LIMITED',
      reasons: [{ of: 'BUSINESS', code: 141_010, text: 'Not verified', fix: '' }],
    });
    expect(toHealth({ can_send_message: 'BLOCKED', entities: [] }).canSend).toBe('BLOCKED');
  });

  test('ends what a lost webhook left closed only where the provider says that account and number can send', () => {
    const seen = { accountState: 'DISABLE', restrictions: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }] };
    const of = (entities: ReturnType<typeof entity>[]) =>
      observedState({ health_status: { can_send_message: 'AVAILABLE', entities } }, undefined, seen);
    expect(of([entity('WABA', 'AVAILABLE'), entity('PHONE_NUMBER', 'AVAILABLE')])).toMatchObject({
      accountState: 'ACTIVE',
      restrictions: [],
    });
    // one that has an end lasts until then
    const until = 1_900_000_000_000;
    const limited = { restrictions: [...seen.restrictions, { type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until }] };
    const status = { can_send_message: 'AVAILABLE', entities: [entity('WABA', 'AVAILABLE'), entity('PHONE_NUMBER', 'AVAILABLE')] };
    expect(observedState({ health_status: status }, undefined, limited).restrictions).toEqual([limited.restrictions[1]]);
    for (const entities of [[], [entity('WABA', 'AVAILABLE')], [entity('WABA', 'BLOCKED'), entity('PHONE_NUMBER', 'AVAILABLE')]])
      expect(Object.keys(of(entities))).toEqual(['health']);
    expect(observedState({ quality_rating: 'NA', name_status: 'NONE' }, undefined, seen)).toEqual({});
  });
});
