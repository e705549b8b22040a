import { expect } from 'vitest';
import type { Answer } from '../support/gateway-event.ts';
import type { TestCompany } from '../support/company.ts';
import { only, problemOf, resultOf } from './fixture.ts';
import { startTemplateFixture, type TemplateFixture } from '../templates/fixture.ts';

/** A company with templates; what it sends, and what the provider (whose simulator checks every request) is sent for it. */
export interface OutboundFixture {
  fixture: TemplateFixture;
  company: TestCompany;
  /** A send to a recipient of its own, unless one is given. */
  post: (path: string, fields: Record<string, unknown>) => Promise<Answer>;
  /** A send that is accepted: the provider's payload without what every send has, and the stored message. */
  sentFor: (path: string, fields: Record<string, unknown>) => Promise<{ sent: Record<string, unknown>; stored: StoredRow; answer: Answer }>;
}
type StoredRow = Awaited<ReturnType<TemplateFixture['messages']>>[number] | undefined;

let phones = 0;
export const newPhone = (): string => `49153${String(++phones).padStart(8, '0')}`;

export const startOutboundFixture = async (): Promise<OutboundFixture> => {
  const fixture = await startTemplateFixture();
  const company = await fixture.company();
  await fixture.atProvider(
    company,
    templates.map((template) => ({ status: 'APPROVED', ...template })),
  );
  expect((await fixture.api(company, 'POST', '/sync')).status).toBe(200);
  await fixture.faults({ hold_statuses: true });
  const post: OutboundFixture['post'] = (path, fields) =>
    fixture.testApp.call({
      method: 'POST',
      path: `/api/v1/messages/${path}`,
      token: company.tokens.member,
      body: { phone: newPhone(), ...fields },
    });
  return {
    fixture,
    company,
    post,
    sentFor: async (path, fields) => {
      const phone = newPhone();
      const answer = await post(path, { phone, ...fields });
      expect(answer.status, answer.raw).toBe(200);
      const { payload, reference } = only(await fixture.ledger(phone));
      const { messaging_product: _product, recipient_type: _type, to, biz_opaque_callback_data, ...sent } = payload;
      expect([to, biz_opaque_callback_data]).toEqual([`+${phone}`, reference]);
      const { message_id } = resultOf(answer);
      return { sent, stored: (await fixture.messages(company.id)).find(({ id }) => id === message_id), answer };
    },
  };
};

export const refusedFields = (answer: Answer): string[] => {
  expect(answer.status, answer.raw).toBe(422);
  return Object.keys(problemOf(answer).errors ?? {});
};

const body = (text: string, more: object = {}) => ({ type: 'BODY', text, ...more });
const templates = [
  { name: 'hello', language: 'en', category: 'UTILITY', components: [body('Hello!')] },
  { name: 'order_update', language: 'en', category: 'UTILITY', components: [body('Hi {{1}}, your order {{2}} has shipped.')] },
  {
    name: 'named',
    language: 'en_US',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [body('Hi {{first_name}}, {{order}} is here.')],
  },
  { name: 'sale', language: 'en', category: 'MARKETING', components: [body('Hi {{1}}, our sale starts today.')] },
  {
    name: 'titled',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      body('It is on its way, {{1}}.'),
      { type: 'FOOTER', text: 'Thanks' },
    ],
  },
  {
    name: 'invoice',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['4::x'] } }, body('Your invoice.')],
  },
  {
    name: 'buttons',
    language: 'en',
    category: 'UTILITY',
    components: [
      body('Choose.'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'URL', text: 'Track', url: 'https://shop.example/track/{{1}}', example: ['abc'] },
          { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550001111' },
        ],
      },
    ],
  },
  {
    name: 'code',
    language: 'en',
    category: 'AUTHENTICATION',
    components: [
      body('*{{1}}* is your verification code.'),
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  },
  { name: 'resting', language: 'en', category: 'UTILITY', status: 'PAUSED', components: [body('Zzz.')] },
];
