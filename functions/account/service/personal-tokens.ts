import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import type { CredentialRecord } from '../contract/record.ts';
import type { CreateTokenInput } from '../contract/token.ts';
import { roleScopes } from '../domain/credential.ts';
import { widerProblem } from './minting.ts';
import { getPointer } from '../store/credential.ts';
import { boundTokenOf } from './sessions.ts';
import * as tokens from './tokens.ts';
import { requireUser } from './users.ts';

/**
 * Personal access tokens as their users manage them: each the own ones, an owner those of all. A token gives no more than it has: neither
 * creating nor rotating leads to a scope or a network that the token of the call lacks.
 */
export type TokenWithSecret = CredentialRecord & { secret: string };

type Refused = Problem<
  'not_found' | 'validation_failed' | 'role_required' | 'insufficient_scope' | 'ip_not_allowed' | 'plan_limit_reached' | 'conflict'
>;

export const listTokens = async (
  caller: Principal,
  { user_id: userId = caller.userId, all = false }: { user_id?: number | undefined; all?: boolean | undefined },
): Promise<CredentialRecord[] | Problem<'not_found' | 'role_required'>> => {
  if (all || userId !== caller.userId) {
    const refused = ownerProblem(caller);
    if (refused) return refused;
  }
  if (all) return tokens.listCompanyTokens(caller.companyId);
  const user = await requireUser(caller.companyId, userId);
  return isProblem(user) ? user : tokens.listCompanyTokens(caller.companyId, userId);
};

export const createToken = async (caller: Principal, input: CreateTokenInput): Promise<TokenWithSecret | Refused> => {
  const userId = input.user_id ?? caller.userId;
  const refused = userId === caller.userId ? undefined : ownerProblem(caller);
  if (refused) return refused;
  const user = await requireUser(caller.companyId, userId);
  if (isProblem(user)) return user;
  const isNarrowed = roleScopes[user.role].some((scope) => !caller.scopes.includes(scope));
  const scopes = input.scopes ?? (isNarrowed ? roleScopes[user.role].filter((scope) => caller.scopes.includes(scope)) : undefined);
  const networks = input.networks ?? caller.networks?.slice();
  const wider = widerProblem(caller, scopes ?? [], networks);
  if (wider) return wider;
  const { name, life_days } = input;
  const bound = await boundTokenOf(caller);
  const given = { user_id: userId, ...defined({ name, life_days, scopes, networks }) };
  return withSecret(await tokens.issueToken(caller.companyId, given, undefined, bound?.token));
};

export const rotateToken = async (caller: Principal, id: number, overlapHours: number | undefined): Promise<TokenWithSecret | Refused> => {
  const token = await requireManaged(caller, id);
  if (isProblem(token)) return token;
  const wider = widerProblem(caller, token.scopes, token.networks ?? undefined);
  return wider ?? withSecret(await tokens.rotateCompanyToken(caller.companyId, id, overlapHours));
};

export const revokeToken = async (
  caller: Principal,
  id: number,
): Promise<CredentialRecord | Problem<'not_found' | 'role_required' | 'conflict'>> => {
  const token = await requireManaged(caller, id);
  return isProblem(token) ? token : tokens.revokeCompanyToken(caller.companyId, id);
};

/** The token, when the caller may manage it. */
async function requireManaged(caller: Principal, id: number): Promise<CredentialRecord | Problem<'not_found' | 'role_required'>> {
  const { companyId } = caller;
  const userId = (await getPointer({ companyId, credentialKind: 'token', id }))?.userId;
  if (userId === undefined) return problem('not_found');
  const refused = userId === caller.userId ? undefined : ownerProblem(caller);
  if (refused) return refused;
  const listed = await tokens.listCompanyTokens(companyId, userId);
  return isProblem(listed) ? listed : (listed.find((token) => token.id === id) ?? problem('not_found'));
}

function ownerProblem({ role }: Principal): Problem<'role_required'> | undefined {
  return role === 'owner' ? undefined : problem('role_required', { details: { role: 'owner' } });
}

function withSecret<P extends Problem>(issued: tokens.IssuedToken | P): TokenWithSecret | P {
  return 'problem' in issued ? issued : { ...issued.token, secret: issued.secret };
}
