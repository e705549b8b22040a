import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import type { TestCompany } from '../support/company.ts';

/** An item has 400 KB: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
const mostBytes = 300_000;

let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

const many = <T>(count: number, each: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => each(nth));
const byName = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(many(count, (nth) => [`name_${nth}`, `${text}${nth}`]));
const long = '茶'.repeat(900);

/** Bodies whose lists and maps have no limit of their own in the schema. */
const bodies: readonly [method: 'POST' | 'PUT', path: string, body: () => Record<string, unknown>][] = [
  ['POST', '/tokens', () => ({ user_id: company.users.owner, name: 'many', scopes: many(40_000, () => 'contacts:read') })],
  [
    'POST',
    '/messages/template',
    () => ({ phone: '+4915100000001', template_name: 'sale', template_language: 'en', variables: many(400, (nth) => `${long}${nth}`) }),
  ],
  [
    'POST',
    '/messages/template',
    () => ({ phone: '+4915100000001', template_name: 'sale', template_language: 'en', variables: byName(400, long) }),
  ],
  [
    'POST',
    '/messages/template',
    () => ({
      phone: '+4915100000001',
      template_name: 'sale',
      template_language: 'en',
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana', more: many(400, () => long) }] }],
    }),
  ],
  ['PUT', '/shop/settings', () => ({ abandoned_cart: { paramvalues: byName(400, long) } })],
  ['POST', '/campaigns', () => ({ template_id: fixture.templateId(company, 'sale'), name: 'Wide', paramvalues: byName(400, long) })],
  ['POST', '/campaigns', () => ({ template_id: fixture.templateId(company, 'sale'), name: 'Wide', paramvalues: byName(100, long) })],
  [
    'POST',
    '/verification/admin/profiles',
    () => ({ name: 'Wide', settings_json: { email_domains: { block: many(40_000, (nth) => `host-${nth}.example`) } } }),
  ],
  [
    'POST',
    '/verification/admin/profiles',
    () => ({ name: 'Wide', settings_json: { ip_whitelist: many(40_000, (nth) => `2001:db8::${nth.toString(16)}`) } }),
  ],
  [
    'POST',
    '/verification/admin/profiles',
    () => ({ name: 'Wide', settings_json: { captcha: { hostnames: many(40_000, (nth) => `host-${nth}.example`) } } }),
  ],
  [
    'POST',
    '/verification/admin/profiles',
    () => ({
      name: 'Wide',
      settings_json: { test_identifiers: Object.fromEntries(many(40_000, (nth) => [`+49151${String(nth).padStart(8, '0')}`, '123456'])) },
    }),
  ],
];

describe('no body fills an item', () => {
  for (const [nth, [method, path, body]] of bodies.entries())
    test(`${method} ${path} (${nth + 1}) refuses what an item cannot hold, and stores nothing larger than 300 KB`, async () => {
      const token = company.tokens.owner;
      const answer = await fixture.testApp.call({ method, path: `/api/v1${path}`, token, body: body() });
      expect(answer.status, answer.raw.slice(0, 300)).toBeLessThan(500);
      await fixture.testApp.drain();
      const sizes = (await fixture.testApp.dump()).map((item) => [item['kind'], JSON.stringify(item).length] as const);
      expect(sizes.filter(([, size]) => size > mostBytes)).toEqual([]);
      expect(answer.status, answer.raw.slice(0, 300)).toBe(422);
    });
});
