import { randomBytes } from 'node:crypto';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { refusalOf } from '../../../shared/runtime/fetch.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { widerProblem } from '../../account/service/minting.ts';
import { getProfileRecord } from '../../account/service/verification-profiles.ts';
import { type EndpointBody, type EndpointChanges, type EndpointRecord, maxEndpoints } from '../contract/endpoint.ts';
import { endpointEntityName } from '../contract/queue.ts';
import { scopesOfChoice } from '../domain/event-scope.ts';
import { secretFrom } from '../domain/signature.ts';
import type { Subscription } from '../domain/subscription.ts';
import * as store from '../store/endpoint.ts';
import { getSubscriptions, type Subscriptions } from '../store/subscriptions.ts';

/** Endpoints: at most ten a company, so lists read them all. Whatever changes one changes the company's subscriptions with it. */
type EndpointWithSecret = EndpointRecord & { secret: string };
type Maker = Pick<Principal, 'companyId' | 'scopes' | 'networks'>;
type WiderCode = 'insufficient_scope' | 'ip_not_allowed';

/** An endpoint is sent what its events hold, wherever it is: who makes it must be able to read all of that, from everywhere. */
const widerThanEvents = (caller: Maker, events: readonly string[]): Problem<WiderCode> | undefined =>
  events.length === 0 ? undefined : widerProblem(caller, [...new Set(events.flatMap(scopesOfChoice))], undefined);

export const listWebhooks = async (companyId: number): Promise<EndpointRecord[]> =>
  (await store.listEndpoints(companyId)).map(toEndpointRecord);

export const getWebhook = async (companyId: number, id: number): Promise<EndpointRecord | Problem<'not_found'>> => {
  const endpoint = await store.getEndpoint(companyId, id);
  return endpoint ? toEndpointRecord(endpoint) : problem('not_found');
};

/** The same operation again, after a crash, answers with the endpoint that it made. */
export const createWebhook = async (
  caller: Maker,
  body: EndpointBody,
  operationId: string,
): Promise<EndpointWithSecret | Problem<'validation_failed' | 'plan_limit_reached' | 'conflict' | WiderCode>> => {
  const { companyId } = caller;
  const refused = widerThanEvents(caller, body.events) ?? urlProblem(body.url) ?? (await profileProblem(companyId, body.profile_id));
  if (refused) return refused;
  const attempt = async (): Promise<EndpointWithSecret | Problem<'plan_limit_reached'> | typeof conflict> => {
    const [endpoints, seen] = await Promise.all([store.listEndpoints(companyId), subscriptionsOf(companyId)]);
    const made = endpoints.find(({ createdBy }) => createdBy === operationId);
    if (made) return withSecret(made, await unseal(made.sealedSecret, secretContext(made)));
    const used = seen?.endpoints.length ?? 0;
    if (used >= maxEndpoints)
      return problem('plan_limit_reached', {
        message: `A company has at most ${maxEndpoints} endpoints.`,
        details: { resource: 'webhook_endpoints', limit: maxEndpoints, used },
      });
    const id = await nextIds(companyId, endpointEntityName, 1);
    const at = now();
    const secret = secretFrom(randomBytes(32));
    const endpoint: store.Endpoint = {
      companyId,
      id,
      url: body.url,
      events: body.events,
      ...(body.profile_id ? { profileId: body.profile_id } : {}),
      status: 'active',
      sealedSecret: await seal(secret, secretContext({ companyId, id })),
      createdBy: operationId,
      createdAt: at,
      updatedAt: at,
    };
    if (!(await store.createEndpoint(endpoint, withSubscription(companyId, seen, endpoint, at)))) return conflict;
    return withSecret(endpoint, secret);
  };
  return retryOnConflict<EndpointWithSecret | Problem<'plan_limit_reached' | 'conflict'>>(maxAttempts, attempt, () => problem('conflict'));
};

/** Pending deliveries of a disabled endpoint stay and go out once it is active again. Events in between are not stored for it. */
export const updateWebhook = async (
  caller: Maker,
  id: number,
  changes: EndpointChanges,
): Promise<EndpointRecord | Problem<'validation_failed' | 'not_found' | 'conflict' | WiderCode>> => {
  const { companyId } = caller;
  // to another address everything goes that the endpoint is sent already
  const events = changes.url === undefined ? changes.events : (changes.events ?? (await store.getEndpoint(companyId, id))?.events);
  const refused = widerThanEvents(caller, events ?? []) ?? urlProblem(changes.url) ?? (await profileProblem(companyId, changes.profile_id));
  if (refused) return refused;
  return changeEndpoint(companyId, id, ({ status }) => {
    const isRevived = changes.status === 'active' && status === 'disabled';
    return {
      isRevived,
      set: {
        ...(changes.url === undefined ? {} : { url: changes.url }),
        ...(changes.events === undefined ? {} : { events: changes.events }),
        ...(changes.profile_id === undefined ? {} : { profileId: changes.profile_id ?? undefined }),
        ...(changes.status === 'disabled' && status === 'active' ? { status: 'disabled', disabledReason: 'by_user' } : {}),
        ...(isRevived ? { status: 'active', disabledReason: undefined, failingSince: undefined } : {}),
      },
    };
  });
};

/** For the deliverer: the receiver is gone, or has failed for days. */
export const disableEndpoint = (companyId: number, id: number, reason: 'gone' | 'failing') =>
  changeEndpoint(companyId, id, ({ status }) => ({
    isRevived: false,
    set: status === 'active' ? { status: 'disabled', disabledReason: reason } : {},
  }));

export const deleteWebhook = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found' | 'conflict'>> => {
  const attempt = async (): Promise<{ id: number } | Problem<'not_found'> | typeof conflict> => {
    const [endpoint, seen] = await Promise.all([store.getEndpoint(companyId, id), subscriptionsOf(companyId)]);
    if (!endpoint || !seen) return problem('not_found');
    const next = { ...seen, rev: seen.rev + 1, endpoints: seen.endpoints.filter((each) => each.id !== id) };
    if (!(await store.deleteEndpoint({ companyId, id }, { seen, next }))) return conflict;
    return { id };
  };
  return retryOnConflict<{ id: number } | Problem<'not_found' | 'conflict'>>(maxAttempts, attempt, () => problem('conflict'));
};

/** A new secret; for 24 hours the old one signs as well. */
export const rotateWebhookSecret = async (
  companyId: number,
  id: number,
  operationId: string,
): Promise<EndpointWithSecret | Problem<'not_found' | 'conflict'>> => {
  const attempt = async (): Promise<EndpointWithSecret | Problem<'not_found'> | typeof conflict> => {
    const endpoint = await store.getEndpoint(companyId, id);
    if (!endpoint) return problem('not_found');
    if (endpoint.rotatedBy === operationId) return withSecret(endpoint, await unseal(endpoint.sealedSecret, secretContext(endpoint)));
    const at = now();
    const secret = secretFrom(randomBytes(32));
    const set = {
      sealedSecret: await seal(secret, secretContext(endpoint)),
      previousSecret: { sealed: endpoint.sealedSecret, expiresAt: at + dayMs },
      rotatedBy: operationId,
      updatedAt: at,
    };
    if (await store.updateSecret(endpoint, set)) return withSecret({ ...endpoint, ...set }, secret);
    return conflict;
  };
  return retryOnConflict<EndpointWithSecret | Problem<'not_found' | 'conflict'>>(maxAttempts, attempt, () => problem('conflict'));
};

/** The secrets that sign now: the endpoint's own, and the one before while it lives. */
export const activeSecretsOf = (endpoint: store.Endpoint, nowMs: number): Promise<string[]> => {
  const { previousSecret: previous } = endpoint;
  const sealed = [endpoint.sealedSecret, ...(previous && previous.expiresAt > nowMs ? [previous.sealed] : [])];
  return Promise.all(sealed.map((each) => unseal(each, secretContext(endpoint))));
};

/** Each attempt reads again what another request changed. */
const maxAttempts = 5;

async function changeEndpoint(
  companyId: number,
  id: number,
  decide: (endpoint: store.Endpoint) => { set: store.EndpointSet; isRevived: boolean },
): Promise<EndpointRecord | Problem<'not_found' | 'conflict'>> {
  const attempt = async (): Promise<EndpointRecord | Problem<'not_found'> | typeof conflict> => {
    const [endpoint, seen] = await Promise.all([store.getEndpoint(companyId, id), subscriptionsOf(companyId)]);
    if (!endpoint) return problem('not_found');
    const { set, isRevived } = decide(endpoint);
    if (Object.keys(set).length === 0) return toEndpointRecord(endpoint);
    const at = Math.max(now(), endpoint.updatedAt + 1);
    const changed = { ...endpoint, ...set, updatedAt: at } as store.Endpoint;
    const subscriptions = withSubscription(companyId, seen, changed, isRevived ? at : undefined);
    if (await store.updateEndpoint(endpoint, { ...set, updatedAt: at }, subscriptions, isRevived ? at : undefined))
      return toEndpointRecord(changed);
    return conflict;
  };
  return retryOnConflict<EndpointRecord | Problem<'not_found' | 'conflict'>>(maxAttempts, attempt, () => problem('conflict'));
}

async function subscriptionsOf(companyId: number): Promise<Subscriptions | undefined> {
  return (await getSubscriptions([companyId]))[0];
}

/** `since`: the start of the subscription, where that changes. */
function withSubscription(
  companyId: number,
  seen: Subscriptions | undefined,
  { id, events, profileId, status, createdAt }: store.Endpoint,
  since: number | undefined,
): store.SubscriptionsChange {
  const before = seen?.endpoints.find((each) => each.id === id);
  const own: Subscription = {
    id,
    events,
    ...(profileId === undefined ? {} : { profileId }),
    status,
    since: since ?? before?.since ?? createdAt,
  };
  const others = seen?.endpoints.filter((each) => each.id !== id) ?? [];
  return { seen, next: { companyId, rev: (seen?.rev ?? 0) + 1, endpoints: [...others, { ...own, events: [...events] }] } };
}

/** Binds a sealed secret to its endpoint, so that values cannot be swapped in the table. */
function secretContext({ companyId, id }: store.EndpointId): string {
  return `webhook:${companyId}:${id}`;
}

function urlProblem(url: string | undefined): Problem<'validation_failed'> | undefined {
  const refusal = url === undefined ? undefined : refusalOf(url);
  return refusal && invalid('url', urlMessages[refusal]);
}

const urlMessages = {
  not_an_address: 'Must be a web address.',
  not_https: 'Must begin with https://.',
  credentials: 'Must not hold a user name or password.',
  private_address: 'Must be reachable from the internet.',
  port: 'Must use port 443 or one from 1024 up.',
};

async function profileProblem(companyId: number, profileId: string | null | undefined): Promise<Problem<'validation_failed'> | undefined> {
  if (!profileId) return undefined;
  return isProblem(await getProfileRecord(companyId, profileId)) ? invalid('profile_id', 'Is no profile of the company.') : undefined;
}

function withSecret(endpoint: store.Endpoint, secret: string): EndpointWithSecret {
  return { ...toEndpointRecord(endpoint), secret };
}

const optionalTime = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));

function toEndpointRecord(endpoint: store.Endpoint): EndpointRecord {
  const { previousSecret: previous } = endpoint;
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    profile_id: endpoint.profileId ?? null,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason ?? null,
    failing_since: optionalTime(endpoint.failingSince),
    last_success_at: optionalTime(endpoint.lastSuccessAt),
    previous_secret_expires_at: optionalTime(previous && previous.expiresAt > now() ? previous.expiresAt : undefined),
    created_at: isoTime(endpoint.createdAt),
    updated_at: isoTime(endpoint.updatedAt),
  };
}
