import * as z from 'zod';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { audiencePreview, campaignDetails } from '../../functions/campaigns/contract/campaign.ts';
import { storedStats } from '../../functions/campaigns/contract/stored.ts';
import { openRecipientCount, recipientStateOf } from '../../functions/campaigns/domain/stats.ts';
import { canonicalPhone } from '../../functions/contacts/contract/phone.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { unwrap, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type SimulatedOptions, startFixture as startMessaging } from '../messaging/fixture.ts';
import type { TestAppOptions } from '../support/test-app.ts';

/** The messaging stage with templates and people to write to. */
export const startFixture = async (options: TestAppOptions = {}) => {
  const fixture = await startMessaging(options);
  const { testApp } = fixture;
  const api = (
    company: TestCompany,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: Record<string, unknown>,
    key?: string,
  ) =>
    testApp.call({
      method,
      path: `/api/v1/campaigns${path}`,
      token: company.tokens.member,
      ...(body ? { body } : {}),
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
    });
  const templates = new Map<string, number>();

  return {
    ...fixture,
    api,
    /** A company with approved templates, whose number sends fast. */
    campaigner: async (ratePerSecond = 1_000, given: SimulatedOptions = {}): Promise<TestCompany> => {
      const company = await fixture.company(given);
      unwrap(await updateNumber(company.id, 1, { rate: ratePerSecond }));
      await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: company.number.wabaId, templates: providerTemplates });
      unwrap(await syncAccount(company.id));
      const listed = await testApp.call({ method: 'GET', path: '/api/v1/templates', token: company.tokens.member });
      for (const { id, name } of templateList.parse(listed.body).data) templates.set(`${company.id}:${name}`, id);
      await testApp.drain();
      return company;
    },
    templateId: (company: TestCompany, name: string): number => templates.get(`${company.id}:${name}`) ?? 0,
    /** New contacts with these names, in order; their ids. */
    people: async (company: TestCompany, count: number, more: Record<string, unknown> = {}): Promise<Contact[]> => {
      const phones = Array.from({ length: count }, () => `49156${String(++people).padStart(8, '0')}`);
      for (let at = 0; at < count; at += 1_000) {
        const contacts = phones.slice(at, at + 1_000).map((phone) => ({ phone: `+${phone}`, name: `Person ${phone.slice(-5)}` }));
        const answer = await testApp.call({
          method: 'POST',
          path: '/api/v1/contacts/bulk-sync',
          token: company.tokens.member,
          body: { contacts, ...more },
        });
        if (answer.status !== 200) throw new Error(answer.raw);
      }
      await testApp.drain();
      // from the table itself: a read that is late does not know them
      const identities = await testApp.dump({ kind: 'contact-identity', companyId: company.id });
      const ids = new Map(identities.map(({ value, contactId }) => [String(value), Number(contactId)]));
      return phones.map((phone) => {
        const id = ids.get(canonicalPhone(phone));
        if (id === undefined) throw new Error(`There is no contact ${phone}.`);
        return { phone, id };
      });
    },
    group: async (company: TestCompany, name: string): Promise<number> => {
      const answer = await testApp.call({ method: 'POST', path: '/api/v1/groups', token: company.tokens.member, body: { name } });
      return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
    },
    create: async (company: TestCompany, body: Record<string, unknown>): Promise<number> => {
      const answer = await api(company, 'POST', '', body);
      if (answer.status !== 200) throw new Error(answer.raw);
      return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
    },
    details: async (company: TestCompany, id: number) => detailsOf(await api(company, 'GET', `/${id}`)),
    /** Counters as projected, and as the rows say. */
    counted: async (company: TestCompany, campaignId: number) => {
      const messages = await testApp.dump({ kind: 'message', companyId: company.id });
      const rows = messages.filter(({ campaign }) => (campaign as { id?: number } | undefined)?.id === campaignId);
      const [raw] = await testApp.dump({ kind: 'campaign-stats', companyId: company.id, campaignId });
      const stats = storedStats.parse(raw);
      const states = ['processing', 'sent', 'delivered', 'read', 'failed', 'ambiguous'] as const;
      const byRows = Object.fromEntries(
        states.map((state) => [state, rows.filter((row) => recipientStateOf(row as never) === state).length]),
      );
      const byStats = Object.fromEntries(states.map((state) => [state, stats[state]]));
      return { rows, stats, byRows, byStats, open: openRecipientCount(stats) };
    },
  };
};
export type CampaignFixture = Awaited<ReturnType<typeof startFixture>>;

export interface Contact {
  id: number;
  phone: string;
}

export const detailsOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(answer.raw);
  return z.object({ data: campaignDetails }).parse(answer.body).data;
};
export const previewOf = (answer: Answer) => z.object({ data: audiencePreview }).parse(answer.body).data;

/** `[status, code, fields...]`. */
export const refusal = (answer: Answer): (string | number)[] => {
  const { code, errors } = z.looseObject({ code: z.string(), errors: z.record(z.string(), z.unknown()).optional() }).parse(answer.body);
  return [answer.status, code, ...Object.keys(errors ?? {})];
};

let people = 0;

const templateList = z.object({ data: z.array(z.looseObject({ id: z.int(), name: z.string() })) });

const providerTemplates = [
  { name: 'plain', language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello there.' }] },
  {
    name: 'sale',
    language: 'en',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Hi {{1}}, our sale starts today.', example: { body_text: [['Ana']] } }],
  },
  {
    name: 'order',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi {{1}}, order {{2}} is on its way.', example: { body_text: [['Ana', 'A-1']] } }],
  },
  {
    name: 'picture',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['h'] } },
      { type: 'BODY', text: 'Look.' },
    ],
  },
  {
    name: 'place',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'LOCATION' },
      { type: 'BODY', text: 'Come here.' },
    ],
  },
];
