import { isWithinNetworks } from '../../../shared/access/networks.ts';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal, Role, Scope } from '../../../shared/contract/route.ts';
import { roleScopes } from '../domain/credential.ts';

/**
 * What a credential may make: never more than it has, by any way. docs/access.md lists the ways. `networks` undefined: what is made is good
 * from everywhere, as a user with a code by email, a receiver or an endpoint is.
 */
export const widerProblem = (
  caller: Pick<Principal, 'scopes' | 'networks'>,
  scopes: readonly Scope[],
  networks: readonly string[] | undefined,
): Problem<'insufficient_scope' | 'ip_not_allowed'> | undefined => {
  const required = scopes.find((scope) => !caller.scopes.includes(scope));
  if (required) return problem('insufficient_scope', { details: { required } });
  const { networks: own } = caller;
  const isWider = own && (!networks || networks.some((network) => !isWithinNetworks(network, own)));
  return isWider ? problem('ip_not_allowed', { message: 'The token of this call is for fewer networks.' }) : undefined;
};

/** A user signs in with all that the role may, from everywhere. */
export const widerThanRole = (
  caller: Pick<Principal, 'scopes' | 'networks'>,
  role: Role,
): Problem<'insufficient_scope' | 'ip_not_allowed'> | undefined => widerProblem(caller, roleScopes[role], undefined);
