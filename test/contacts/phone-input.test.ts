import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { createProfile } from '../../functions/account/service/verification-profiles.ts';
import { readPhone } from '../../functions/contacts/contract/phone.ts';
import { importRows } from '../../functions/contacts/service/imports/import-rows.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { isFullSize } from '../support/run-size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { allRoutes } from '../contract/fixture.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';

const national = 'The country code is missing.';
const mangled = 'A spreadsheet changed this number.';
const letters = 'Must be a phone number, without letters.';
const impossible = 'No country has such a number.';
const shape = 'Must be a phone number with country code, 8 to 15 digits.';

/** What a caller writes, and what it is read as: the digits, or why it is refused; then the same for a company of that country. */
const ways: readonly [written: string, read: string, country?: string, byCountry?: string][] = [
  // international
  ['+4915123456789', '4915123456789'],
  ['+49 151 23456789', '4915123456789'],
  ['+49-151-2345-6789', '4915123456789'],
  ['+49 (151) 23456789', '4915123456789'],
  ['+49/151/23456789', '4915123456789'],
  ['+49.151.23456789', '4915123456789'],
  ['0049 151 23456789', '4915123456789'],
  ['00 49 151 23456789', '4915123456789'],
  ['(0049) 151 23456789', '4915123456789'],
  ['+49 (0)151 23456789', '4915123456789'],
  ['+44 (0)20 7946 0958', '442079460958'],
  ['+39 06 1234 5678', '390612345678'],
  ['+1 (415) 555-2671', '14155552671'],
  ['+91 98765 43210', '919876543210'],
  ['+55 41 98765-4321', '5541987654321'],
  ['+52 1 55 1234 5678', '5215512345678'],
  ['+54 9 11 2345-6789', '5491123456789'],
  ['+33 6 12 34 56 78', '33612345678'],
  ['+34 612 34 56 78', '34612345678'],
  ['+90 532 123 45 67', '905321234567'],
  ['+62 812-3456-7890', '6281234567890'],
  ['+254 712 345678', '254712345678'],
  ['4915123456789', '4915123456789', 'US', '4915123456789'],
  ['919876543210', '919876543210', 'DE', '919876543210'],
  ['14155552671', '14155552671', 'DE', '14155552671'],
  // dressed
  ['whatsapp:+4915123456789', '4915123456789'],
  ['WhatsApp: +49 151 23456789', '4915123456789'],
  ['tel:+49-151-23456789', '4915123456789'],
  ['＋４９１５１２３４５６７８９', '4915123456789'],
  ['+49\u00a0151\u00a023456789', '4915123456789'],
  ['\u202a+49 151 23456789\u202c', '4915123456789'],
  ['+49 151\u201323456789', '4915123456789'],
  ['٩١٩٨٧٦٥٤٣٢١٠', '919876543210'],
  // as a spreadsheet writes it
  ["'+4915123456789", '4915123456789'],
  ['="+4915123456789"', '4915123456789'],
  ['4.91512E+12', mangled, 'DE', mangled],
  ['4,91512E+12', mangled, 'DE', mangled],
  ['4.91701e+12', mangled],
  ['9.05E11', mangled],
  ['4915123456789.0', mangled, 'DE', mangled],
  // national
  ['0151 23456789', national, 'DE', '4915123456789'],
  ['0171/1234567', national, 'DE', '491711234567'],
  ['(0151) 23456789', national, 'DE', '4915123456789'],
  ['020 7946 0958', national, 'GB', '442079460958'],
  ['06 12 34 56 78', national, 'FR', '33612345678'],
  ['06 1234 5678', national, 'IT', '390612345678'],
  ['098765 43210', national, 'IN', '919876543210'],
  ['0532 123 45 67', national, 'TR', '905321234567'],
  ['0812-3456-7890', national, 'ID', '6281234567890'],
  ['0712 345678', national, 'KE', '254712345678'],
  ['011 49 151 23456789', national, 'US', '4915123456789'],
  ['(415) 555-2671', impossible, 'US', '14155552671'],
  ['98765 43210', impossible, 'IN', '919876543210'],
  ['612 34 56 78', '612345678', 'ES', '34612345678'],
  ['0151 23456789', national, 'US', national],
  ['+0151 23456789', national, 'DE', national],
  // letters, and what is no number
  ['US.88359320', letters],
  ['call me 2547abc23593299', letters],
  ['tel 49151 2345 6780 ext 12', letters],
  ['v1a5b0c1d2e3f4g5', letters],
  ['+49 151 CALL NOW', letters],
  ['1234567', shape, 'DE', '491234567'],
  ['+49151234567890123', shape],
  ['+49 151 23456789 / +49 171 1234567', 'Must be one phone number.'],
  ['0151 23456789 0171 1234567', national, 'DE', national],
  ['+999 12345678', impossible],
  ['+1 555 0100', impossible],
  ['+९१९८७६५४३२१०', 'Must be written with the digits 0 to 9.'],
];

describe('a phone', () => {
  it.each(ways)('%j is %s; in %s %s', (written, expected, country, byCountry) => {
    expect(verdict(readPhone(written))).toBe(expected);
    if (country !== undefined) expect(verdict(readPhone(written, country))).toBe(byCountry);
  });

  it('is refused with what to do', () => {
    const reading = readPhone('0151 23456789');
    expect(reading).toMatchObject({
      ok: false,
      reason: expect.stringContaining('Write it with the country code, for example +49 151 23456789.'),
    });
  });
});

/** One of each kind; at full size all. A user id is a phone to none but is taken by verification, so it is left out. */
const quick = [
  '+49 (0)151 23456789',
  '+33 6 12 34 56 78',
  '٩١٩٨٧٦٥٤٣٢١٠',
  '0049 151 23456789',
  '4915123456789',
  'whatsapp:+4915123456789',
  '4.91512E+12',
  '0151 23456789',
  '(415) 555-2671',
  'call me 2547abc23593299',
  '+999 12345678',
];
/** Of these, what a default country may change, and one that it may not. */
const quickByCountry = ['4915123456789', '4.91512E+12', '0151 23456789', '(415) 555-2671'];
const sampleFor = (country: string | undefined) => {
  const some = country === undefined ? quick : quickByCountry;
  return ways.filter(([written]) => written !== 'US.88359320' && (isFullSize() || some.includes(written)));
};

/** At full size hundreds of calls, on a machine that may do other work. */
const allWaysMs = 900_000;

describe('every way in has the same verdict', () => {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp.stop());

  it.each([undefined, 'DE', 'US'])(
    'in a company of the default country %s',
    async (country) => {
      const company = await newCompany();
      unwrap(await updateCompany(company.id, { settings: { default_country: country ?? null } }));
      const wayIn = await waysInto(testApp, company);
      for (const [written] of sampleFor(country)) {
        const read = readPhone(written, country);
        const expected = read.ok ? read.digits : 'refused';
        const verdicts: Record<string, string> = {};
        for (const [name, take] of Object.entries(wayIn)) {
          testApp.clock.advance(61_000);
          const seen = await take(written);
          verdicts[name] = seen === 'taken' && read.ok ? read.digits : seen;
        }
        expect(verdicts, written).toEqual(Object.fromEntries(Object.keys(wayIn).map((name) => [name, expected])));
      }
    },
    allWaysMs,
  );

  it('and every operation that takes a phone is among them, or known to take it otherwise', async () => {
    const wayIn = await waysInto(testApp, await newCompany());
    const taking = allRoutes.filter(({ route }) => phoneFields.test(JSON.stringify(inputOf(route))));
    const untried = taking.filter(
      ({ name, route }) => !(`${route.method} ${route.path.replace('/api/v1', '')}` in wayIn) && !(name in readOtherwise),
    );
    expect(untried.map(({ name }) => name)).toEqual([]);
    expect(taking.length).toBeGreaterThanOrEqual(20);
  });

  it('and a row of an import is named with the remedy', async () => {
    const company = await newCompany();
    const [good, bad] = await importRows(company.id, [{ is: 'phone' }], [['+49 151 23456789'], ['4.91512E+12']], 0);
    expect(good).toEqual({ is: 'created' });
    expect(bad).toEqual({ is: 'failed', errors: [{ column: 'phone', reason: expect.stringContaining('Write it with the country code') }] });
  });
});

const phoneFields = /"(customer_phone|phone|work_number|identifier)":/;
const inputOf = ({ body, query }: RouteSpec): unknown => [body, query].map((schema) => (schema ? jsonSchemaOf(schema) : {}));
/** Why a phone is read in another way there. */
const readOtherwise: Readonly<Record<string, string>> = {
  addNumber: "the business's own number, as the provider shows it",
  updateNumber: "the business's own number, as the provider shows it",
  sendListByGet: 'the handler of POST /messages/list',
  sendTemplateByGet: 'the handler of POST /messages/template',
  getRate: 'a country by the first digits',
  listOrders: 'a filter: finds what is stored',
  receiveCheckout: 'posts of shop platforms are never refused for a phone',
  receivePlatformNotice: 'posts of shop platforms are never refused for a phone',
  revokeTrust: 'finds what is stored',
  sendContacts: 'the numbers of a card are the words of its sender',
  sendTestMessage: 'the recipient is read as by POST /messages/template',
  sendInteractive: 'the recipient is read by the handler of POST /messages/text',
};

const verdict = (read: ReturnType<typeof readPhone>): string => (read.ok ? read.digits : read.reason.replace(/ Write it .*/, ''));

const anyRecord = z.object({ data: z.record(z.string(), z.unknown()) });
const fields = z.object({ errors: z.record(z.string(), z.unknown()).default({}) });

/** The digits that a way in took, `taken` where its answer does not show them, or `refused` for the phone. */
async function waysInto(testApp: TestApp, company: TestCompany): Promise<Record<string, (written: string) => Promise<string>>> {
  const token = company.tokens.owner;
  const call = (method: string, path: string, body: unknown): Promise<Answer> =>
    testApp.call({ method, path: `/api/v1${path}`, token, body });
  const digitsIn = (answer: Answer, field: string): string => {
    if (answer.status === 200 || answer.status === 202) return String(anyRecord.parse(answer.body).data[field]);
    if (answer.status !== 422) return 'taken';
    return Object.keys(fields.parse(answer.body).errors).some((name) => name.endsWith('phone') || name === 'work_number')
      ? 'refused'
      : 'taken';
  };
  const erpToken = unwrap(await issueErpToken(company.id, {})).secret;
  const profile = unwrap(await createProfile(company.id, { name: 'Sign-in' }));
  const custom = async (data: Record<string, unknown>): Promise<Answer> =>
    testApp.call({ method: 'POST', path: `/shop/webhooks/custom/${erpToken}`, body: { event: 'order.placed', data } });
  await custom({ order_number: 'first', email: 'ada@example.com', customer_email: 'ada@example.com', total_amount: 1 });
  const replaced = anyRecord.parse((await call('POST', '/contacts', { phone: '+15550009999' })).body).data['id'];
  let orders = 0;
  const later = { scheduled_at: new Date(testApp.clock.now() + 86_400_000 * 30).toISOString() };
  const list = { message: 'Pick', action: { button: 'Open', sections: [{ rows: [{ id: 'a', title: 'A' }] }] } };
  return {
    'POST /contacts': async (phone) => digitsIn(await call('POST', '/contacts', { phone }), 'phone'),
    'PUT /contacts/{id}': async (phone) => {
      const answer = await call('PUT', `/contacts/${String(replaced)}`, { phone });
      return answer.status === 422 && answer.raw.includes('Another contact has this phone') ? 'taken' : digitsIn(answer, 'phone');
    },
    'POST /contacts/bulk-sync': async (phone) => {
      const answer = await call('POST', '/contacts/bulk-sync', { contacts: [{ phone }] });
      return answer.status === 200 ? 'taken' : 'refused';
    },
    import: async (phone) => {
      const [outcome] = await importRows(company.id, [{ is: 'phone' }], [[phone]], 0);
      return outcome?.is === 'failed' ? 'refused' : 'taken';
    },
    'POST /contacts/check-phone': async (phone) => {
      const { data } = anyRecord.parse((await call('POST', '/contacts/check-phone', { phone })).body);
      return data['is_valid'] === false ? 'refused' : String(data['phone']);
    },
    'POST /messages/text': async (phone) =>
      digitsOf(testApp, token, await call('POST', '/messages/text', { phone, message: 'Hi', ...later })),
    'POST /messages/list': async (phone) => digitsOf(testApp, token, await call('POST', '/messages/list', { phone, ...list, ...later })),
    'GET /messages/text': async (phone) => {
      const query = { phone, message: 'Hi', ...later };
      return digitsOf(testApp, token, await testApp.call({ method: 'GET', path: '/api/v1/messages/text', token, query }));
    },
    'POST /messages/location': async (phone) =>
      digitsOf(testApp, token, await call('POST', '/messages/location', { phone, latitude: 52.5, longitude: 13.4, ...later })),
    'POST /messages/reaction': async (phone) =>
      digitsIn(await call('POST', '/messages/reaction', { phone, message_id: '999', emoji: '👍' }), 'phone'),
    'POST /messages/template': async (phone) =>
      digitsIn(await call('POST', '/messages/template', { phone, template_name: 'none', ...later }), 'phone'),
    'POST /campaigns/send': async (phone) => digitsIn(await call('POST', '/campaigns/send', { phone, campaign_id: 1 }), 'phone'),
    'PUT /shop/orders/{id}': async (phone) =>
      digitsIn(await call('PUT', '/shop/orders/1', { status: 'Pending', items: [], customer_phone: phone }), 'customer_phone'),
    'POST /shop/webhooks/custom/{erp_token}': async (phone) => {
      const answer = await custom({ order_number: `o-${++orders}`, customer_phone: phone, total_amount: 1 });
      return answer.status === 200 ? 'taken' : digitsIn(answer, 'phone');
    },
    'PUT /crm/automation/preferences': async (phone) =>
      digitsIn(await call('PUT', '/crm/automation/preferences', { work_number: phone, opted_in: true, notify_tasks: true }), 'work_number'),
    'POST /verification/request': async (identifier) => {
      const answer = await call('POST', '/verification/request', { identifier, profile_id: profile.id, silent: true });
      return answer.status === 422 ? 'refused' : 'taken';
    },
  };

  async function digitsOf(app: TestApp, bearer: string, answer: Answer): Promise<string> {
    if (answer.status === 422) return digitsIn(answer, 'phone');
    const id = String(anyRecord.parse(answer.body).data['contact_id']);
    const contact = await app.call({ method: 'GET', path: `/api/v1/contacts/${id}`, token: bearer });
    return String(anyRecord.parse(contact.body).data['phone']);
  }
}
