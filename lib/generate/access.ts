import type { Context } from '../../shared/contract/context.ts';
import { type MadeKind, madeKinds, type Role, roles, type RouteSpec, type Scope, scopes } from '../../shared/contract/route.ts';

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
    '## From one credential to another',
    '',
    'What an operation makes has no more than the credential of its call, by any way, and ends with it. Held by `test/contract/made-credentials.test.ts` for every operation',
    'that makes one. *Fresh* ones need in a session a sign-in of the last ten minutes.',
    '',
    '| makes | by | scopes and role | networks | ends |',
    '|---|---|---|---|---|',
    ...madeKinds.map((kind) => {
      const by = routes.filter(([, { makes }]) => makes === kind);
      const names = by.map(([name, { freshProof }]) => `\`${name}\`${freshProof ? ' (fresh)' : ''}`).join(' ');
      const { scopes: carried, networks, ends } = made[kind];
      return `| ${kind} | ${names} | ${carried} | ${networks} | ${ends} |`;
    }),
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

/** What each kind may carry of the credential that makes it, and when it ends. */
const made: Readonly<Record<MadeKind, { scopes: string; networks: string; ends: string }>> = {
  session: {
    scopes: 'those of the token; by a code or a passkey those of the user, or of the token with which the passkey was added',
    networks: 'those of the token',
    ends: 'with the secret of the token, the user, sign-out; twelve hours unused, seven days',
  },
  token: {
    scopes: "none that the maker lacks, and the user's role",
    networks: "within the maker's",
    ends: 'with the token it was made with, in time and by revocation; a rotation renews the same token',
  },
  passkey: {
    scopes: 'those of the token with which it was added, else of its user',
    networks: 'those of that token',
    ends: 'with that token, and with the deactivation of its user',
  },
  user: {
    scopes: 'the maker needs all of the new role; only owners make owners',
    networks: 'the maker has no list',
    ends: 'by deactivation, which ends tokens, sessions and passkeys',
  },
  receiver: {
    scopes: 'the maker needs what its posts write (`shop:write`, `contacts:write`)',
    networks: 'the maker has no list',
    ends: 'by revocation',
  },
  key: { scopes: 'the maker needs `verification:request`', networks: 'the maker has no list', ends: 'by deactivation' },
  number: { scopes: 'none: its secrets are checked, and open nothing', networks: '–', ends: 'when it is inactive' },
  endpoint: {
    scopes: 'the maker needs to read what its events hold',
    networks: 'the maker has no list',
    ends: 'when it is deleted or disabled',
  },
  upload: { scopes: 'one file of a size and type, no reading', networks: 'none', ends: 'after an hour' },
};

const pathOf = ({ method, path }: RouteSpec): string => `${method} ${path.replace(/^\/api\/v1/, '')}`;
