import { createHmac } from 'node:crypto';
import { createCompany } from '../../functions/account/service/companies.ts';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { addNumber } from '../../functions/account/service/numbers.ts';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { createUser } from '../../functions/account/service/users.ts';
import type { CompanyInput } from '../../functions/account/contract/company.ts';
import { isProblem, type Problem } from '../../shared/contract/problems.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import type { Call } from './gateway-event.ts';

/** A company as the operator makes it: its people with a token each, a business number, the provider's webhook address. */
export interface TestCompany {
  id: number;
  /** Reading that of a role that was not made throws. */
  tokens: Record<Role, string>;
  users: Record<Role, number>;
  number: { phone: string; phoneNumberId: string; wabaId: string };
  appSecret: string;
  verifyToken: string;
  webhookPath: string;
  webhookToken: string;
}

export interface CompanyOptions {
  input?: Partial<CompanyInput>;
  phoneNumberId?: string;
  wabaId?: string;
  phone?: string;
  /** Null: none, webhooks are accepted on their token alone. */
  appSecret?: string | null;
  /** Whose users and tokens are made: the owner's alone unless given. Each is nine calls to the table, as many as all else of a company. */
  roles?: readonly Role[];
}

export const newCompany = async (options: CompanyOptions = {}): Promise<TestCompany> => {
  const nth = ++companies;
  const { id } = unwrap(await createCompany({ name: `Company ${nth}`, ...options.input }));
  const tokens = ofEachRole<string>();
  const users = ofEachRole<number>();
  for (const role of options.roles ?? ['owner']) {
    const user = unwrap(await createUser(id, { name: `The ${role}`, email: `${role}.${nth}@example.com`, role }));
    const { secret } = unwrap(await issueToken(id, { user_id: user.id, name: role }));
    Object.defineProperty(users, role, { value: user.id, enumerable: true });
    Object.defineProperty(tokens, role, { value: secret, enumerable: true });
  }
  const number = {
    phone: options.phone ?? String(15_550_000_000 + nth),
    phoneNumberId: options.phoneNumberId ?? String(100_000_000 + nth),
    wabaId: options.wabaId ?? String(200_000_000 + nth),
  };
  const appSecret = options.appSecret === undefined ? `app-secret-${nth}` : (options.appSecret ?? '');
  const { verify_token } = unwrap(
    await addNumber(id, {
      phone: number.phone,
      phone_number_id: number.phoneNumberId,
      waba_id: number.wabaId,
      access_token: `access-token-${nth}`,
      ...(appSecret ? { app_secret: appSecret } : {}),
    }),
  );
  const webhookToken = unwrap(await issueWebhookToken(id, { receiver: 'messaging' })).secret;
  return {
    id,
    tokens,
    users,
    number,
    appSecret,
    verifyToken: verify_token,
    webhookToken,
    webhookPath: `/webhook/messaging/receive/${webhookToken}`,
  };
};

/** What each role has, once it is defined; until then reading it throws. */
function ofEachRole<T>(): Record<Role, T> {
  const none = (role: Role) => (): never => {
    throw new Error(`This company has no ${role}: name it in the roles of newCompany.`);
  };
  return Object.defineProperties(
    {} as Record<Role, T>,
    Object.fromEntries(roles.map((role) => [role, { get: none(role), configurable: true }])),
  );
}

type Receiver = Pick<TestCompany, 'appSecret' | 'webhookPath'>;

/** A post of the provider, signed as it signs. */
export const providerPost = (company: Receiver, body: unknown): Call => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = createHmac('sha256', company.appSecret).update(raw).digest('hex');
  return {
    method: 'POST',
    path: company.webhookPath,
    body: raw,
    headers: { 'content-type': 'application/json', ...(company.appSecret ? { 'x-hub-signature-256': `sha256=${signature}` } : {}) },
  };
};

/** The provider's envelope around one `value`. */
export const providerEnvelope = (company: Pick<TestCompany, 'number'>, value: Record<string, unknown>): Record<string, unknown> => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: company.number.wabaId,
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: company.number.phone, phone_number_id: company.number.phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
});

/** The post of a customer's text. */
export const inboundText = (
  company: Receiver & Pick<TestCompany, 'number'>,
  message: { from: string; text: string; id?: string; name?: string; at?: number },
): Call =>
  providerPost(
    company,
    providerEnvelope(company, {
      contacts: [{ profile: { name: message.name ?? 'A Person' }, wa_id: message.from }],
      messages: [
        {
          from: message.from,
          id: message.id ?? `wamid.in-${++inbounds}`,
          timestamp: String(Math.floor((message.at ?? Date.now()) / 1_000)),
          type: 'text',
          text: { body: message.text },
        },
      ],
    }),
  );

/** The post of a status of one of our messages. */
export const statusPost = (company: TestCompany, status: Record<string, unknown> & { id: string; status: string }): Call =>
  providerPost(
    company,
    providerEnvelope(company, { statuses: [{ timestamp: String(Math.floor(Date.now() / 1_000)), recipient_id: '', ...status }] }),
  );

/** What a service gave, when it did not refuse. */
export const unwrap = <T>(outcome: T): Exclude<T, Problem> => {
  if (isProblem(outcome)) throw new Error(`Refused: ${JSON.stringify(outcome)}`);
  return outcome as Exclude<T, Problem>;
};

let companies = 0;
let inbounds = 0;
