import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import type { ProblemCode } from '../../shared/contract/problems.ts';
import { unwrap } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { allRoutes, type ContractFixture, type NamedRoute } from './fixture.ts';

type Json = Record<string, unknown>;
type Change = (given: Json) => Json;

/** What an integrator does wrong on the first day, and what the answer must say so that it is put right at once. */
export interface Mistake {
  what: string;
  attempt: (fixture: ContractFixture) => Promise<Answer>;
  status: number;
  /** Absent: the call is taken, because what is meant is clear. */
  code?: ProblemCode;
  /** What the body must name. */
  names: readonly (string | RegExp)[];
  /** What headers must say. */
  headers?: Readonly<Record<string, RegExp>>;
}

/** A mistake by the place in the table where it stands. */
export type Mistakes = Readonly<Record<number, Mistake>>;

const named = (name: string): NamedRoute => {
  const found = allRoutes.find((each) => each.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};

/** A good call of an operation, with its body changed. */
export const changed =
  (operation: string, change: Change, more: Partial<Call> = {}) =>
  async (fixture: ContractFixture): Promise<Answer> => {
    const call = await fixture.goodCall(named(operation));
    return fixture.call(named(operation), { ...call, ...more, body: change(call.body as Json) });
  };

export const without =
  (...fields: string[]): Change =>
  (given) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !fields.includes(name)));

export const withFields =
  (fields: Json): Change =>
  (given) => ({ ...given, ...fields });

/** A call of the first company's owner. */
export const called =
  (method: string, path: string, more: Partial<Call> | ((fixture: ContractFixture) => Partial<Call> | Promise<Partial<Call>>) = {}) =>
  async (fixture: ContractFixture): Promise<Answer> => {
    fixture.testApp.clock.advance(2_500);
    const own = typeof more === 'function' ? await more(fixture) : more;
    return fixture.testApp.call({ method, path, token: fixture.company.tokens.owner, ...own });
  };

export const sendText = (body: unknown, more: Partial<Call> = {}): ((fixture: ContractFixture) => Promise<Answer>) =>
  called('POST', '/api/v1/messages/text', { body, ...more });

/** A profile of its own, with a pair of keys. */
export const keysOf = async (
  { company }: ContractFixture,
  settings_json: Json = {},
): Promise<{ public_key: string; secret_key: string }> => {
  const profile = unwrap(await createProfile(company.id, { name: 'Sign-in', settings_json }));
  return unwrap(await issueKey(company.id, profile.id, {}));
};
