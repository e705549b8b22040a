import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roleScopes } from '../../functions/account/domain/credential.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { isFullSize } from '../support/run-size.ts';
import { allRoutes, codeOf, type ContractFixture, type NamedRoute, startFixture } from '../contract/fixture.ts';

/**
 * Every route × every role. What each role may do stands here once more, in the words of the specification (A70), so that a route
 * declared too low is noticed; then each role's own token, with the scopes it is issued with, is held against it.
 */
const settings =
  /^\/api\/v1\/(company|rates|spend\/ceilings|users|numbers|apps|machine-tokens|fields|webhooks|verification\/admin|shop\/(settings|connections|privacy-requests)|conversations\/keywords)(\/|$)/;

/** Reads that are written as a POST, because what they carry does not fit into an address. */
const requestedByPost = /\/(preflight|check-phones|audience-preview)$/;

function leastRole({ method, path }: NamedRoute['route']): Role {
  const isRead = method === 'GET' || requestedByPost.test(path);
  if (path.startsWith('/api/v1/crm/pipelines') && !isRead) return 'owner';
  // who may manage webhooks and verification may see them; other settings are everybody's to read
  // everybody's own
  if (/^\/api\/v1\/(tokens|sessions|passkeys|me\/weekly-summary)/.test(path)) return 'viewer';
  if (/^\/api\/v1\/(webhooks|deliveries|machine-tokens|signups|verification\/admin|shop\/privacy-requests|audit|requests)/.test(path))
    return 'admin';
  if (settings.test(path) && !isRead) return 'admin';
  // what any shop posted to a receiver, unread and unchecked
  if (path === '/api/v1/shop/test-calls' || path === '/api/v1/shop/receiver-posts') return 'admin';
  // a job's files hold all contacts: who may start an export may take it
  if (path.startsWith('/api/v1/contact-jobs')) return 'member';
  // who may read a conversation may be seen to read it; nothing of the company changes
  if (path === '/api/v1/conversations/{id}/presence') return 'viewer';
  // what cannot be undone, for a contact and all that is known of it
  if (path === '/api/v1/contacts/{id}/erase' && !isRead) return 'admin';
  // a GET that sends is a write in all but its method
  if (path.startsWith('/api/v1/messages/') && !path.endsWith('/{id}')) return 'member';
  return isRead ? 'viewer' : 'member';
}

const byPeople = allRoutes.flatMap((named) => (named.route.caller.kind === 'token' ? [{ ...named, caller: named.route.caller }] : []));

/** In the quick suite the least role that may call a route, and the one beneath it: what a role may, those above it may too. */
const isShown = ({ route }: NamedRoute, role: Role): boolean => {
  const above = roles.indexOf(role) - roles.indexOf(leastRole(route));
  return isFullSize() || above === 0 || above === -1;
};

test.each(byPeople.map((each) => [each.name, each] as const))('%s asks for the role of the specification', (_name, { route, caller }) => {
  expect(caller.role).toBe(leastRole(route));
});

test.each(byPeople.map((each) => [each.name, each] as const))('%s asks for a scope that the role has', (_name, { caller }) => {
  if (!('scope' in caller)) return;
  for (const role of roles.slice(roles.indexOf(caller.role))) expect(roleScopes[role]).toContain(caller.scope);
});

describe('a token as it is issued to', () => {
  let fixture: ContractFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  describe.each(roles)('a %s', (role) => {
    const shown = byPeople.filter((named) => isShown(named, role));
    test.each(shown.map((each) => [each.name, each] as const))('%s', async (_name, named) => {
      const { route } = named;
      const token = fixture.company.tokens[role];
      const isAllowed = roles.indexOf(role) >= roles.indexOf(leastRole(route));
      const call = await (isAllowed ? fixture.goodCall(named, { token }) : fixture.callToRefuse(named, { token }));
      const wrote: string[] = [];
      using _watch = fixture.testApp.onTable(({ command, when, input }) => {
        if (when === 'after' && !/^(Get|BatchGet|Query)/.test(command) && !isCount(input)) wrote.push(command);
      });
      const answer = await fixture.call(named, call);
      if (isAllowed) {
        expect(answer.status, answer.raw).toBeLessThan(300);
      } else {
        expect([answer.status, codeOf(answer)]).toEqual([403, expect.stringMatching(/^(role_required|insufficient_scope)$/)]);
        expect(wrote).toEqual([]);
      }
    });
  });
});

/** The call's own count, at the caller's credential, and its line in the request log. */
const isCount = (input: Record<string, unknown>): boolean => /"KEY#|#REQUESTS"/.test(JSON.stringify(input['Key'] ?? {}));
