import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { preflight } from '../../functions/contacts/contract/preflight.ts';
import type { Contact } from '../../functions/contacts/contract/stored.ts';
import { newContact } from '../../functions/contacts/domain/contact.ts';
import { exclusions } from '../../functions/contacts/contract/eligibility.ts';
import { ReadinessCounter } from '../../functions/contacts/domain/preflight.ts';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const at = 1_800_000_000_000;
let ids = 0;
const contact = (more: Partial<Contact> = {}): Contact => ({
  ...newContact(1, ++ids, { phone: `4915${String(10_000_000 + ids)}`, phoneCountry: 'DE' }, at, []),
  ...more,
});
const counted = (...contacts: Contact[]) => {
  const count = new ReadinessCounter(at);
  for (const each of contacts) count.add(each);
  return count.counts();
};

describe('readiness', () => {
  test.each<[string, Partial<Contact>, string]>([
    ['seen on WhatsApp', { isOnWhatsapp: true }, 'known_on_whatsapp'],
    ['of whom nothing is known', {}, 'unknown_reachability'],
    ['with a phone that is none', { phone: '123' }, 'invalid_phone'],
    ['without a phone', { phone: '' }, 'invalid_phone'],
    ['who was unsubscribed by the company', { subscribed: false, consent: { source: 'api', at } }, 'unsubscribed'],
    ['who is unsubscribed, nobody knows why', { subscribed: false }, 'unsubscribed'],
    ['who is blocked at the provider', { marketingBlocked: true }, 'marketing_blocked'],
    ['known not to be there', { notOnWhatsappAt: at - 6 * dayMs }, 'known_not_on_whatsapp'],
    ['once known not to be there, a week ago', { notOnWhatsappAt: at - 7 * dayMs }, 'unknown_reachability'],
    ['with every reason at once', { phone: '1', subscribed: false, marketingBlocked: true, notOnWhatsappAt: at }, 'invalid_phone'],
    ['unsubscribed and blocked', { subscribed: false, marketingBlocked: true, notOnWhatsappAt: at }, 'unsubscribed'],
    ['blocked and not there', { marketingBlocked: true, notOnWhatsappAt: at }, 'marketing_blocked'],
  ])('counts a contact %s once', (_, more, where) => {
    const { total_contacts, eligible, known_on_whatsapp, unknown_reachability, ...reasons } = counted(contact(more));
    expect({ known_on_whatsapp, unknown_reachability, ...reasons }).toMatchObject({ [where]: 1 });
    expect(total_contacts).toBe(1);
    expect(eligible + exclusions.reduce((sum, reason) => sum + reasons[reason], 0)).toBe(1);
    expect(known_on_whatsapp + unknown_reachability).toBe(eligible);
  });

  test('of two forms of one number only the first counts, whatever its other properties', () => {
    expect(counted(contact({ phone: '5215512345678', subscribed: false }), contact({ phone: '525512345678' }))).toMatchObject({
      total_contacts: 2,
      eligible: 0,
      unsubscribed: 1,
      duplicate_phone: 1,
    });
  });
});

describe('POST /groups/{id}/preflight', () => {
  let testApp: TestApp;
  let company: TestCompany;
  beforeAll(async () => {
    testApp = await startTestApp();
    company = await newCompany({ roles: ['member', 'owner'] });
  });
  afterAll(() => testApp.stop());

  const call = (method: string, path: string, body?: unknown, token = company.tokens.member): Promise<Answer> =>
    testApp.call({ method, path: `/api/v1${path}`, token, ...(body === undefined ? {} : { body }) });
  const add = async (phone: string, more: object = {}) => {
    const answer = await call('POST', '/contacts', { phone, groups: ['Campaign'], ...more });
    return z.object({ data: contactRecord.extend({ created: z.boolean() }) }).parse(answer.body).data;
  };
  const counts = (answer: Answer) => z.object({ data: preflight.strict() }).parse(answer.body).data;

  test('counts a group from stored contacts and past webhooks, sends nothing, and its former name has a Deprecation header', async () => {
    const { groups } = await add('+4915170000001');
    await add('+4915170000002', { subscribed: false });
    await add('+4915170000003');
    for (let n = 10; n < 80; n++) await add(`+49151700000${n}`);
    const { id: gone } = await add('+4915170000099');
    await call('DELETE', `/contacts/${gone}`);
    await call('POST', '/contacts', { phone: '+4915170000100', groups: ['Another'] });
    await testApp.call(inboundText(company, { from: '4915170000003', text: 'Hi' }));
    await testApp.drain();
    const events = testApp.events.length;
    const groupId = groups[0]?.id ?? 0;
    const used = await testApp.meter(async () => {
      const answer = await call('POST', `/groups/${groupId}/preflight`);
      expect(answer.headers['deprecation']).toBeUndefined();
      expect(counts(answer)).toMatchObject({
        group_id: groupId,
        total_contacts: 73,
        eligible: 72,
        unsubscribed: 1,
        known_on_whatsapp: 1,
        unknown_reachability: 71,
      });
    });
    expect(used.wru).toBe(1);
    expect(used.rru).toBeLessThanOrEqual(12);
    const old = await call('POST', `/groups/${groupId}/check-phones`);
    expect(counts(old).total_contacts).toBe(73);
    expect(old.headers).toMatchObject({
      deprecation: expect.any(String),
      sunset: expect.any(String),
      link: expect.stringContaining('/preflight'),
    });
    expect(await testApp.drain()).toMatchObject({ messages: 0 });
    expect(testApp.events.length).toBe(events);
  });

  test('a group or an audience that is too large for one call is counted in parts that add up, by a cursor of its own', async () => {
    const { preflightGroup } = await import('../../functions/contacts/service/preflight.ts');
    const { previewAudience } = await import('../../functions/campaigns/service/preview-audience.ts');
    const whole = counts(await call('POST', '/groups/1/preflight'));
    expect([whole.is_partial, whole.next_cursor]).toEqual([false, null]);
    const parts: z.output<typeof preflight>[] = [];
    for (let cursor: string | undefined; parts.length === 0 || cursor !== undefined; cursor = parts.at(-1)?.next_cursor ?? undefined)
      parts.push(preflight.parse(await preflightGroup(company.id, 1, cursor, { limitMs: 0, pagesAtOnce: 1 })));
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ is_partial }) => is_partial)).toEqual(parts.map((_, index) => index < parts.length - 1));
    for (const name of ['total_contacts', 'eligible', 'unsubscribed', 'known_on_whatsapp'] as const)
      expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(whole[name]);
    const foreign = await call('POST', `/groups/2/preflight?cursor=${encodeURIComponent(parts[0]?.next_cursor ?? '')}`);
    expect([foreign.status, (foreign.body as { code: string }).code]).toEqual([400, 'invalid_cursor']);

    const preview = async (cursor?: string) =>
      z
        .object({ total: z.int(), eligible_contacts: z.int(), is_partial: z.boolean(), next_cursor: z.string().nullable() })
        .parse(
          await previewAudience(company.id, { audience_type: 'all', ...(cursor ? { cursor } : {}) } as never, { limitMs: 0, pageSize: 30 }),
        );
    const all = z
      .object({ data: z.object({ total: z.int(), eligible_contacts: z.int(), is_partial: z.literal(false) }) })
      .parse((await call('POST', '/campaigns/audience-preview', { audience_type: 'all' })).body).data;
    const seen = [await preview()];
    for (let cursor = seen[0]?.next_cursor; cursor; cursor = seen.at(-1)?.next_cursor) seen.push(await preview(cursor));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.reduce((sum, part) => sum + part.total, 0)).toBe(all.total);
    expect(seen.reduce((sum, part) => sum + part.eligible_contacts, 0)).toBe(all.eligible_contacts);
  });

  test('of an empty group is all zeros; of an unknown one, or of another company, 404', async () => {
    const made = await call('POST', '/groups', { name: 'Empty' });
    const { id } = z.object({ data: z.object({ id: z.int() }) }).parse(made.body).data;
    expect(counts(await call('POST', `/groups/${id}/preflight`))).toMatchObject({ total_contacts: 0, eligible: 0 });
    expect((await call('POST', '/groups/99999/preflight')).status).toBe(404);
    const stranger = await newCompany();
    expect((await call('POST', `/groups/${id}/preflight`, undefined, stranger.tokens.owner)).status).toBe(404);
  });
});
