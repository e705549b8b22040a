import type { Context } from '../../shared/contract/context.ts';
import { type Role, roles, type RouteSpec, type Scope, scopes } from '../../shared/contract/route.ts';

/** docs/access.md: which role has which scope, and what every operation of a personal token needs of both. */
export const generateAccess = (
  contexts: readonly Context[],
  roleScopes: Readonly<Record<Role, readonly Scope[]>>,
): { path: string; content: string } => {
  const routes = contexts.flatMap(({ functions }) =>
    functions.flatMap((each) => (each.trigger === 'http' ? Object.entries(each.routes) : [])),
  );
  const byScope = routes.flatMap(([name, route]) => ('scope' in route.caller ? [{ name, route, ...route.caller }] : []));
  const content = [
    '# Who may do what',
    '',
    'Written by `npm run generate`. A personal token does what the role of its user and its own scopes allow. Held by `test/contract/access.test.ts` and',
    '`test/security/roles.test.ts` for every operation.',
    '',
    '## Scopes of the roles',
    '',
    `| scope | ${roles.join(' | ')} |`,
    `|---|${roles.map(() => '---').join('|')}|`,
    ...scopes.map((scope) => `| \`${scope}\` | ${roles.map((role) => (roleScopes[role].includes(scope) ? 'yes' : '')).join(' | ')} |`),
    '',
    '## Operations',
    '',
    '| operation | path | scope | least role |',
    '|---|---|---|---|',
    ...byScope.map(({ name, route, scope, role }) => `| \`${name}\` | ${pathOf(route)} | \`${scope}\` | ${role} |`),
    '',
  ].join('\n');
  return { path: 'docs/access.md', content };
};

const pathOf = ({ method, path }: RouteSpec): string => `${method} ${path.replace(/^\/api\/v1/, '')}`;
