import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes, codeOf, type ContractFixture, type NamedRoute, rowsOf, sampleOf, startFixture, whereShared } from './fixture.ts';
import { recordAnswer } from '../support/example-answers.ts';
import type { Call } from '../support/gateway-event.ts';
import type { TableCall } from '../support/sdk-hooks.ts';

/** What every route answers; `stage.call` holds each answer against the route's declared statuses, schemas, codes and headers. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const withId = allRoutes.filter(({ route }) => route.caller.kind === 'token' && /\{[a-z_]*id\}/.test(route.path));
const readable = allRoutes.filter(({ route }) => route.method === 'GET' && route.effect === 'read');
const writes = allRoutes.filter(({ route }) => route.effect === 'write' && route.caller.kind === 'token');

describe.each(rowsOf(allRoutes))('%s', (_title, named) => {
  let logged = '';
  let call: Call;
  test('answers a good request with a declared 2xx', async () => {
    call = await fixture.goodCall(named);
    fixture.testApp.logs.length = 0;
    const answer = await fixture.call(named, call);
    recordAnswer(named.name, answer);
    logged = JSON.stringify(fixture.testApp.logs);
    expect(Object.keys(named.route.answers)).toContain(String(answer.status));
  });

  if ((named.route.aliases ?? []).length > 0)
    test('answers the same at its other addresses', async () => {
      for (const alias of named.route.aliases ?? []) {
        const call = await fixture.goodCall({ ...named, route: { ...named.route, path: alias } });
        expect((await fixture.call(named, call)).status, alias).toBeLessThan(300);
      }
    });

  test('leaves no secret and no text of the caller in the logs of it', () => {
    expect(logged).toContain('req_');
    for (const secret of secretsOf(call)) expect(logged).not.toContain(secret);
  });
});

describe.each(rowsOf(whereShared(readable)))('HEAD for %s', (_title, named) => {
  test('has the status and headers of GET and no body', async () => {
    const call = await fixture.goodCall(named);
    const get = await fixture.call(named, call);
    const withoutBody = await fixture.call(named, { ...call, method: 'HEAD' });
    expect([withoutBody.status, withoutBody.raw]).toEqual([get.status, '']);
    expect(Object.keys(withoutBody.headers).toSorted()).toEqual(Object.keys(get.headers).toSorted());
  });
});

const withParam = async (named: NamedRoute, value: string): Promise<Call> => {
  const call = await fixture.callToRefuse(named);
  const path = call.path.split('/');
  const at = named.route.path.split('/').findLastIndex((part) => /^\{[a-z_]*id\}$/.test(part));
  path[at] = encodeURIComponent(value);
  return { ...call, path: path.join('/') };
};

test.each(rowsOf(withId))('%s declares its ids by the shared schema: one that is none is 404', async (_title, named) => {
  for (const value of ['abc', '0']) expect((await fixture.call(named, await withParam(named, value))).status).toBe(404);
});

describe.each(rowsOf(sampleOf(withId)))('%s', (_title, named) => {
  test.each(['abc', '0', '-1', '1.5', '1e3', ' 1', '01', '9'.repeat(40), '٣', "1' OR '1'='1", '1/..'])(
    'with the id %j is 404',
    async (value) => {
      const answer = await fixture.call(named, await withParam(named, value));
      expect(answer.status).toBe(404);
    },
  );
});

test.each(rowsOf(writes))('%s refuses an Idempotency-Key that cannot be one', async (_title, named) => {
  const call = await fixture.callToRefuse(named);
  const headers = { ...call.headers, 'idempotency-key': 'x'.repeat(256) };
  expect(codeOf(await fixture.call(named, { ...call, headers }))).toBe('invalid_idempotency_key');
});

describe.each(rowsOf(whereShared(writes)))('%s', (_title, named) => {
  // some of them work off what all tests before them left on the queues
  test('under an Idempotency-Key happens once and is answered twice the same', async () => {
    const good = await fixture.goodCall(named);
    const call = { ...good, headers: { ...good.headers, 'idempotency-key': `twice-${named.name}` } };
    const first = await fixture.call(named, call);
    await fixture.testApp.drain();
    const written: string[] = [];
    using _watch = fixture.testApp.onTable((call) => {
      if (call.when === 'after') written.push(...partitionsWritten(call));
    });
    const second = await fixture.call(named, call);
    expect([second.status, second.raw]).toEqual([first.status, first.raw]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(written.filter((pk) => !isCount(pk))).toEqual([]);
  });
});

/** Values of a request that must never be logged: its token and whatever the user wrote. */
function secretsOf(call: Call): string[] {
  const body = typeof call.body === 'object' && call.body !== null ? Object.values(call.body) : [];
  const texts = [...body, ...Object.values(call.query ?? {})].filter((value) => typeof value === 'string');
  return [call.token, fixture.company.webhookToken, fixture.company.verifyToken, ...texts].filter(
    (value): value is string => typeof value === 'string' && value.length >= 5,
  );
}

/** The partitions that a call to the table wrote to. */
function partitionsWritten({ command, input }: TableCall): string[] {
  const { Item, Key, TransactItems, RequestItems } = input as TableInput;
  const keys = {
    PutItem: () => [Item],
    UpdateItem: () => [Key],
    DeleteItem: () => [Key],
    TransactWriteItems: () => TransactItems?.map(({ Put, Update, Delete }) => Put?.Item ?? Update?.Key ?? Delete?.Key),
    BatchWriteItem: () =>
      Object.values(RequestItems ?? {}).flatMap((requests) => requests.map((each) => each.PutRequest?.Item ?? each.DeleteRequest?.Key)),
  }[command];
  return (keys?.() ?? []).flatMap((key) => (key ? [String(key['pk'])] : []));
}

type Keyed = Record<string, unknown>;

interface TableInput {
  Item?: Keyed;
  Key?: Keyed;
  TransactItems?: { Put?: { Item: Keyed }; Update?: { Key: Keyed }; Delete?: { Key: Keyed } }[];
  RequestItems?: Record<string, { PutRequest?: { Item: Keyed }; DeleteRequest?: { Key: Keyed } }[]>;
}

/** The counts of calls, which every call moves. */
const isCount = (pk: string): boolean => pk.startsWith('KEY#') || pk.includes('#LIMIT');

const jsonBodies = allRoutes.filter(({ route }) => route.body !== undefined && !route.accepts?.includes('raw'));
const isAlwaysStrict = (path: string): boolean =>
  /^\/api\/v1\/(campaigns|segments|contact-jobs|rates|spend|me|contacts\/(bulk-sync|imports)|verification\/admin)(\/|$)/.test(path);

test.each(rowsOf(jsonBodies))('%s names or refuses a field that it does not know', async (_title, named) => {
  const call = await fixture.goodCall(named);
  if (typeof call.body !== 'object' || call.body === null || Buffer.isBuffer(call.body)) return;
  const answer = await fixture.call(named, { ...call, body: { ...call.body, no_such_field: 1 } });
  if (isAlwaysStrict(named.route.path)) {
    expect([answer.status, codeOf(answer)]).toEqual([422, 'unknown_field']);
    return;
  }
  expect(answer.status).toBeLessThan(300);
  expect(answer.headers['x-unknown-fields']).toBe('no_such_field');
  const { status, warnings } = answer.body as { status?: string; warnings?: string[] };
  expect(warnings).toEqual(status === 'success' ? ['The field no_such_field is not known and was left out.'] : undefined);
});
