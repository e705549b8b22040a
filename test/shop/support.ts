import * as z from 'zod';
import { changeStreamContext } from '../../functions/app.ts';
import { createCompany } from '../../functions/account/service/companies.ts';
import { shopContext } from '../../functions/shop/context.ts';
import { pageLinks, pageMeta } from '../../shared/contract/envelope.ts';
import { credential } from '../support/credentials.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** The shop API as one company's owner. */
export interface Shop {
  testApp: TestApp;
  companyId: number;
  token: string;
  call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

export const startShop = (options: TestAppOptions = {}): Promise<TestApp> =>
  startTestApp({ contexts: [shopContext, changeStreamContext], ...options });

export const newShop = async (testApp: TestApp): Promise<Shop> => {
  const company = await createCompany({ name: 'Cedar Books' });
  if ('problem' in company) throw new Error(company.problem);
  const token = await credential({ companyId: company.id });
  return {
    testApp,
    companyId: company.id,
    token,
    call: (method, path, body) =>
      testApp.call({ method, path: `/api/v1/shop${path}`, token, ...(body === undefined ? {} : { body }) } satisfies Call),
  };
};

const single = z.object({ status: z.literal('success'), message: z.string().min(1), data: z.looseObject({ id: z.int() }) });
const many = z.object({ data: z.array(z.looseObject({ id: z.int() })), links: pageLinks, meta: pageMeta, status: z.literal('success') });

export const dataOf = (answer: Answer, status = 200): Record<string, unknown> & { id: number } => {
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.raw}`);
  return single.parse(answer.body).data;
};

export const pageOf = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return many.parse(answer.body);
};

/** Status and code, then the fields with errors. */
export const problemOf = (answer: Answer): (string | number)[] => {
  const { code, errors } = z
    .looseObject({ code: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() })
    .parse(answer.body);
  return [answer.status, code, ...Object.keys(errors ?? {})];
};
