import { type StoredRequest, requestEntityName, storedRequest } from '../../functions/verification/contract/stored.ts';
import { isHourField } from '../../functions/verification/domain/request-budget.ts';
import { bucketField, isBucketField } from '../../functions/verification/domain/prefix.ts';
import { type RequestBudget, requestBudgetEntity } from '../../functions/verification/store/request-budget.ts';
import { getRequest } from '../../functions/verification/store/request.ts';
import { ledgerOf } from './fault-ledger.ts';
import { excuses, type Recorder } from './fault-recorder.ts';
import { adminOf, type Caller, field, type Fixture } from './fixture.ts';

type Items = readonly Record<string, unknown>[];

/** What is not as it must be when all is quiet; empty: all is well. `beforeTheEnd`: the table when all messages had gone, before time did. */
export const findViolations = async (
  fixture: Fixture,
  callers: readonly Caller[],
  seen: Recorder,
  { beforeTheEnd, budget }: { beforeTheEnd: Items; budget: number },
): Promise<string[]> => {
  const items = await fixture.testApp.dump();
  const requests = requestsIn(items).filter(({ id }) => seen.started.has(id));
  return [
    ...requests.flatMap((request) => [
      ...checkEnd(request, fixture.testApp.clock.now()),
      ...checkMessages(fixture, request, seen),
      ...checkAttempts(request, seen),
      ...checkEvents(fixture, request),
    ]),
    ...checkBudgets(requests, seen, budget),
    ...checkProofs(
      requestsIn(beforeTheEnd).filter(({ id }) => seen.started.has(id)),
      beforeTheEnd,
    ),
    ...(await checkRequestBudgets(fixture, callers, items)),
  ];
};

const requestsIn = (items: Items): StoredRequest[] =>
  items.filter(({ kind }) => kind === requestEntityName).map((item) => storedRequest.parse(item));

/** Nothing outlives its time, and what ended says how. */
function checkEnd({ id, status, expiresAt, endedAt }: StoredRequest, at: number): string[] {
  if (status === 'pending') return expiresAt <= at ? [`${id} is pending after its time`] : [`${id} has more time than it may have`];
  return endedAt === undefined ? [`${id} ended at no time`] : [];
}

/** A message requested was handed to its worker, though its process died in between. What is over needs none. */
export const findUnsentMessages = async (companyId: number, ids: Iterable<string>, at: number): Promise<string[]> => {
  const found = await Promise.all(Array.from(ids, (id) => getRequest(companyId, id, { consistent: true })));
  return found.flatMap((request) =>
    request?.status === 'pending' && request.expiresAt > at && request.claimedSend < request.sends
      ? [`message ${request.sends} of ${request.id} was asked for and forgotten`]
      : [],
  );
};

/** One message for each claim that was kept, none without; fewer only for those that are excused. All with one code. */
function checkMessages(fixture: Fixture, { id, reason }: StoredRequest, seen: Recorder): string[] {
  const { messages, codes } = ledgerOf(fixture, id);
  const claims = seen.claims.get(id) ?? 0;
  const wrong: string[] = [];
  if (messages > claims) wrong.push(`${id} had ${messages} messages for ${claims} claims: one went twice`);
  // what the mail service throttled to the last try ended its request
  const excused = (excuses.get(id) ?? 0) + (reason === 'delivery_failed' ? 1 : 0);
  if (claims - messages > excused) wrong.push(`${id} had ${messages} messages for ${claims} claims: one was lost`);
  if (codes.length > 1) wrong.push(`${id} had ${codes.length} codes`);
  return wrong;
}

/** Every guess that was answered had been counted, and none was answered beyond the limit. */
function checkAttempts({ id, status, attempts, maxAttempts }: StoredRequest, seen: Recorder): string[] {
  const compared = seen.compared.get(id) ?? 0;
  const wrong: string[] = [];
  if (compared > maxAttempts) wrong.push(`${id} had ${compared} guesses of ${maxAttempts}`);
  if (compared > (attempts ?? 0)) wrong.push(`${id} had ${compared} guesses and told of ${attempts ?? 0}`);
  if (seen.verified.has(id) && status !== 'verified') wrong.push(`${id} was said to be proven and is ${status}`);
  return wrong;
}

/** Its beginning and its end, once each. A repeated event carries the same id. */
function checkEvents({ testApp }: Fixture, { id, status, reason }: StoredRequest): string[] {
  const ids = (name: string): Set<unknown> =>
    new Set(
      testApp.events
        .filter((event) => event.name === name && (event.detail['data'] as Record<string, unknown>)['request_id'] === id)
        .map(({ detail }) => detail['id']),
    );
  const expected = {
    'verification.requested': status === 'blocked' ? 0 : 1,
    'verification.successful': status === 'verified' ? 1 : 0,
    'verification.failed': status === 'verified' || status === 'pending' ? 0 : 1,
  };
  return Object.entries(expected)
    .filter(([name, times]) => ids(name).size !== times)
    .map(([name, times]) => `${name} of ${id} (${status}, ${reason ?? 'no reason'}) was told ${ids(name).size} times for ${times}`);
}

/** Over all requests of a identifierHash the guesses of a day stay within the budget, unless the company let them begin anew. */
function checkBudgets(requests: readonly StoredRequest[], seen: Recorder, budget: number): string[] {
  const compared = new Map<string, number>();
  for (const { id, identifierHash } of requests)
    compared.set(identifierHash, (compared.get(identifierHash) ?? 0) + (seen.compared.get(id) ?? 0));
  return [...compared]
    .filter(([identifierHash, tried]) => tried > budget && !seen.unblocked.has(identifierHash))
    .map(([identifierHash, tried]) => `${identifierHash} had ${tried} guesses in a day of ${budget}`);
}

/** The proofs of a prefix equal its verified requests, in each part of the hour that is kept. */
function checkProofs(requests: readonly StoredRequest[], items: Items): string[] {
  const recounted = new Map<string, Map<string, number>>();
  for (const { status, prefix, profileId, endedAt } of requests) {
    if (status !== 'verified' || prefix === undefined) continue;
    const key = `${profileId} ${prefix}`;
    const buckets = recounted.get(key) ?? new Map<string, number>();
    const bucket = bucketField(endedAt ?? 0);
    recounted.set(key, buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1));
  }
  const projected = new Map(
    items
      .filter(({ kind }) => kind === 'verification-proofs')
      .map((item) => [`${String(item['profileId'])} ${String(item['prefix'])}`, item]),
  );
  return [...recounted].flatMap(([key, buckets]) => {
    const row = projected.get(key);
    if (!row) return [`the proofs of ${key} were not counted`];
    const stored = Object.keys(row).filter(isBucketField);
    const newest = [...buckets.keys()].toSorted().at(-1) ?? '';
    return [...new Set([...stored, newest])]
      .filter((bucket) => row[bucket] !== buckets.get(bucket))
      .map((bucket) => `the proofs of ${key} in ${bucket}: ${String(row[bucket])}, recounted ${buckets.get(bucket) ?? 0}`);
  });
}

/** What a request budget counts in one field equals what it counts in the others, and who is blocked is listed. */
async function checkRequestBudgets(fixture: Fixture, callers: readonly Caller[], items: Items): Promise<string[]> {
  const wrong: string[] = [];
  for (const caller of callers) {
    const mine: RequestBudget[] = items
      .filter(({ kind, profileId }) => kind === requestBudgetEntity.name && profileId === caller.profileId)
      .map((item) => requestBudgetEntity.parse(item));
    for (const counts of mine) {
      const hours = Object.keys(counts).filter(isHourField);
      const sum = hours.reduce((total, hour) => total + Number(counts[hour]), 0);
      if (counts.spent !== sum) wrong.push(`${counts.identifierHash} spent ${counts.spent} guesses, by hours ${sum}`);
    }
    const at = fixture.testApp.clock.now();
    const blocked = mine.filter(({ blockedUntil }) => (blockedUntil ?? 0) > at).length;
    const listed = ((field(await adminOf(fixture, caller)('GET', '/blocks?limit=100'), 'data') ?? []) as { kind: string }[]).filter(
      ({ kind }) => kind === 'identifier',
    ).length;
    if (listed < blocked) wrong.push(`${blocked} people are blocked, ${listed} listed`);
  }
  return wrong;
}
