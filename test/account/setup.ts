import { changeStreamContext } from '../../functions/app.ts';
import { administrationContext } from '../../functions/administration/context.ts';
import { createCompany } from '../../functions/account/service/companies.ts';
import { type IssuedToken, issueToken } from '../../functions/account/service/tokens.ts';
import { createUser } from '../../functions/account/service/users.ts';
import type { CompanyInput } from '../../functions/account/contract/company.ts';
import type { CompanyRecord, UserRecord } from '../../functions/account/contract/record.ts';
import type { TokenInput } from '../../functions/account/contract/token.ts';
import type { Problem } from '../../shared/contract/problems.ts';
import type { Role } from '../../shared/contract/route.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The account context, with what follows from its changes, on the emulated table. */
export const startAccountApp = (env: Readonly<Record<string, string>> = {}, shards = 1): Promise<TestApp> =>
  startTestApp({ contexts: [administrationContext, changeStreamContext], env, shards });

/** The result of a service; throws if it is a problem. */
export const given = <T extends object>(result: T): Exclude<T, Problem> => {
  if ('problem' in result) throw new Error(`Refused: ${JSON.stringify(result)}`);
  return result as Exclude<T, Problem>;
};

/** The code of a problem; undefined for any other result. */
export const refusal = (result: unknown): string | undefined =>
  typeof result === 'object' && result !== null && 'problem' in result ? String(result.problem) : undefined;

export const company = async (input: Partial<CompanyInput> = {}): Promise<CompanyRecord> =>
  given(await createCompany({ name: 'Cedar Books', ...input }));

export const addUser = async (companyId: number, role: Role = 'member'): Promise<UserRecord> =>
  given(await createUser(companyId, { name: 'Kim', email: `kim-${++people}@cedar.example`, role }));

/** A company with a user and a token. */
export const caller = async (
  role: Role = 'member',
  input: Omit<TokenInput, 'user_id'> = {},
): Promise<IssuedToken & { companyId: number; userId: number }> => {
  const { id: companyId } = await company();
  const { id: userId } = await addUser(companyId, role);
  return { companyId, userId, ...given(await issueToken(companyId, { user_id: userId, ...input })) };
};

let people = 0;

export type Body = Record<string, unknown>;

/** Calls of the API of an app, as a caller makes them: the status beside what the answer has. */
export const callsOf = (testApp: TestApp) => async (token: string, method: string, path: string, body?: Body) => {
  const { status, body: answer } = await testApp.call({ method, path: `/api/v1${path}`, token, ...(body ? { body } : {}) });
  return { ...(answer as { code?: string; errors?: Body; details?: Body; data: Body & Body[] }), status };
};

/** A further user of a company, with a token. */
export const callerOf = async (companyId: number, role: Role): Promise<{ id: number; token: string }> => {
  const { id } = await addUser(companyId, role);
  return { id, token: given(await issueToken(companyId, { user_id: id })).secret };
};
