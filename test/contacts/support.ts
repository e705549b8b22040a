import * as z from 'zod';
import { contactsContext } from '../../functions/contacts/context.ts';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { tagEntity } from '../../functions/contacts/store/tag.ts';
import type { Context } from '../../shared/contract/context.ts';
import { pageLinks, pageMeta } from '../../shared/contract/envelope.ts';
import { credential } from '../support/credentials.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** Calls the routes of contacts as a member of one company. */
export interface ContactsTestApp extends TestApp {
  /** With the token of a member, unless another is given. */
  as: (companyId: number, token?: string) => Promise<Caller>;
}

export interface Caller {
  companyId: number;
  token: string;
  get: (path: string) => Promise<Answer>;
  post: (body: unknown) => Promise<Answer>;
  put: (id: number, body: unknown) => Promise<Answer>;
  patch: (id: number, body: unknown) => Promise<Answer>;
  delete: (id: number) => Promise<Answer>;
}

export const startContacts = async (
  more: readonly Context[] = [],
  options: Omit<TestAppOptions, 'contexts'> = {},
): Promise<ContactsTestApp> => {
  const testApp = await startTestApp({ ...options, contexts: [contactsContext, ...more] });
  return { ...testApp, as: (companyId, token) => callerOf(testApp, companyId, token) };
};

const single = z.strictObject({
  status: z.literal('success'),
  message: z.string().min(1),
  data: contactRecord.extend({ created: z.boolean().optional() }).strict(),
});
const many = z.strictObject({
  status: z.literal('success'),
  message: z.string().min(1),
  data: z.array(contactRecord.strict()),
  links: pageLinks,
  meta: pageMeta,
});

/** The contact of a 200 response, checked strictly against the contract. */
export const contactOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return single.parse(answer.body).data;
};

export const pageOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return many.parse(answer.body);
};

/** Status, problem code and the names of the invalid fields. */
export const refusalOf = (answer: Answer): [number, string, ...string[]] => {
  const { code, errors } = z
    .looseObject({ code: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() })
    .parse(answer.body);
  return [answer.status, code, ...Object.keys(errors ?? {})];
};

let companies = 100;
/** A company that no other test uses. */
export const newCompany = (): number => ++companies;

let phones = 919_800_000_000;
/** A phone that no other test uses. */
export const nextPhone = (): string => String(++phones);

export const putTag = async (companyId: number, id: number, name: string): Promise<void> => {
  await tagEntity.put({ companyId, id, name, color: '#6B7280', createdAt: 0, updatedAt: 0 });
};

async function callerOf(testApp: TestApp, companyId: number, given?: string): Promise<Caller> {
  const token = given ?? (await credential({ companyId, role: 'member' }));
  const path = '/api/v1/contacts';
  return {
    companyId,
    token,
    get: (rest) => testApp.call({ method: 'GET', path: `${path}${rest}`, token }),
    post: (body) => testApp.call({ method: 'POST', path, token, body }),
    put: (id, body) => testApp.call({ method: 'PUT', path: `${path}/${id}`, token, body }),
    patch: (id, body) => testApp.call({ method: 'PATCH', path: `${path}/${id}`, token, body }),
    delete: (id) => testApp.call({ method: 'DELETE', path: `${path}/${id}`, token }),
  };
}
