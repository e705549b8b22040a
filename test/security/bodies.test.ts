import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { maxBodyBytes, maxFormBytes } from '../../shared/http/decode.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { allRoutes, codeOf, type ContractFixture, type NamedRoute, rowsOf, sampleOf, startFixture } from '../contract/fixture.ts';
import { fieldsOf, placed } from './fields.ts';

/**
 * Bodies made to harm, at every route that reads one: each is refused, and shown what is wrong with it. Broken JSON, depth, size and odd
 * content types are in test/contract/input.test.ts, the grammar of forms in test/shared/multipart.test.ts.
 */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(() => fixture.testApp.clock.advance(60_000));
afterAll(() => fixture[Symbol.asyncDispose]());

const withBody = allRoutes.filter(({ route }) => route.body !== undefined && !route.accepts?.includes('raw'));
const withForm = withBody.filter(({ route }) => route.accepts?.includes('multipart'));

/** The refused fields and why, or the message: what shows the sender what is wrong. */
const textOf = ({ body }: Answer): string => {
  const { errors, details, message, error } = body as Record<string, unknown>;
  return JSON.stringify(errors ?? details ?? message ?? error);
};

/** The fields that an answer names. */
const fieldsNamed = ({ body }: Answer): Set<string> => {
  const { errors, details } = body as { errors?: object; details?: object };
  return new Set(Object.keys(errors ?? details ?? {}).map((field) => field.split('.')[0] ?? ''));
};

/** A request that is good but for its body; every call of it is a moment after the one before, as the limits want. */
const sender = async (named: NamedRoute) => {
  const good = await fixture.callToRefuse(named);
  return (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> => {
    fixture.testApp.clock.advance(2_500);
    return fixture.call(named, { ...good, body, headers: { ...good.headers, 'content-type': 'application/json', ...headers } });
  };
};

/** 50 MB when unpacked. */
const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));

// what the one decoder refuses, at three routes; below, at every route, that it is attached
describe.each(rowsOf(sampleOf(withBody)))('%s', (_title, named) => {
  test.each([
    ['a name twice', '{"a":1,"a":2}', '\\"a\\"'],
    ['a name twice, deep down', '{"x":[{"y":{"a":1,"b":{"a":2},"a":3}}]}', '\\"a\\"'],
    ['a name twice, once in escapes', '{"a":1,"\\u0061":2}', '\\"a\\"'],
    ['__proto__', '{"__proto__":{"polluted":1}}', '__proto__'],
    ['__proto__, deep down', '{"x":[{"__proto__":{"polluted":1}}]}', '__proto__'],
    ["the constructor's prototype", '{"constructor":{"prototype":{"polluted":1}}}', 'constructor'],
    ['more depth than any reader needs', `{"x":${'['.repeat(50)}${']'.repeat(50)}}`, 'at most 50'],
    ['depth beyond the stack', `{"x":${'[{"a":'.repeat(500_000)}`, 'at most 50'],
  ])('%s is 400 and named', async (_case, body, named_) => {
    const answer = await (await sender(named))(body);
    expect([answer.status, codeOf(answer), textOf(answer)]).toEqual([400, 'invalid_json', expect.stringContaining(named_)]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a compressed body is 415 and named, and is not unpacked', async () => {
    const send = await sender(named);
    for (const encoding of ['gzip', 'br', 'gzip, gzip', 'deflate']) {
      const answer = await send(bomb, { 'content-encoding': encoding });
      expect([answer.status, textOf(answer)]).toEqual([415, expect.stringContaining(encoding)]);
    }
  });
});

describe.each(rowsOf(withBody))('%s', (_title, named) => {
  test('reads its body by the shared decoder: a name twice is 400 and named, a compressed body is 415', async () => {
    const send = await sender(named);
    const twice = await send('{"a":1,"a":2}');
    expect([twice.status, codeOf(twice), textOf(twice)]).toEqual([400, 'invalid_json', expect.stringContaining('\\"a\\"')]);
    const compressed = await send(gzipSync('{}'), { 'content-encoding': 'gzip' });
    expect([compressed.status, textOf(compressed)]).toEqual([415, expect.stringContaining('gzip')]);
  });

  test.each([
    ['NUL', '"a\\u0000b"'],
    ['a number beyond all numbers', '1e400'],
    ['a number that cannot be held', '9007199254740993'],
    ['a number with many digits', `${'9'.repeat(400)}`],
  ])('%s in any field is 422 and the field is named', async (_case, json) => {
    const { body } = await fixture.callToRefuse(named);
    const send = await sender(named);
    const hostile = (ways: readonly (string | 0)[][]) =>
      send(JSON.stringify(ways.reduce<unknown>((into, way) => placed(into, way, checkpoint), body)).replaceAll(`"${checkpoint}"`, json));
    const ways = fieldsOf(named.route.body);
    const isTop = (way: readonly unknown[]): boolean => way.length === 1;
    // all at once; then each that was not named so by itself, because another field kept the schema from it
    const all = await hostile(ways.filter(isTop));
    expect(all.status, all.raw).toBe(422);
    const seen = fieldsNamed(all);
    for (const way of ways.filter((each) => !isTop(each) || !seen.has(String(each[0])))) {
      const answer = await hostile([way]);
      expect([answer.status, textOf(answer)], `${way.join('.')}: ${answer.raw}`).toEqual([422, expect.stringContaining(String(way[0]))]);
    }
  });
});

test('a number that cannot be held is found in what a template passes on as well', async () => {
  const named = allRoutes.find(({ name }) => name === 'createTemplate');
  if (!named) throw new Error('There is no createTemplate.');
  const good = await fixture.goodCall(named);
  const body = { ...(good.body as object), components: [{ type: 'BODY', text: 'Hi', example: { deep: [{ down: checkpoint }] } }] };
  const answer = await fixture.call(named, {
    ...good,
    body: JSON.stringify(body).replace(`"${checkpoint}"`, '9007199254740993'),
    headers: { 'content-type': 'application/json' },
  });
  expect([answer.status, textOf(answer)]).toEqual([422, expect.stringContaining('components')]);
});

/** Where the hostile value goes: JSON.stringify cannot write it. */
const checkpoint = 'the hostile value';

const part = (name: string, value: string): string => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

describe.each(rowsOf(withForm))('%s', (_title, named) => {
  test.each<[string, string, string, RegExp]>([
    ['twenty thousand parts', Array.from({ length: 20_000 }, (_, i) => part(`a${i}`, '1')).join(''), 'boundary=X', /at most 1000 parts/],
    ['headers that never end', `--X\r\n${'X-Header: 1\r\n'.repeat(200_000)}\r\n--X--`, 'boundary=X', /headers/],
    ['one header that never ends', `--X\r\nContent-Disposition: form-data; name="${'a'.repeat(3_000_000)}`, 'boundary=X', /part 1/],
    ['no boundary', `${part('a', '1')}--X--`, '', /boundary/],
    ['a boundary beyond its length', `${part('a', '1')}--X--`, `boundary=${'X'.repeat(5_000)}`, /boundary/],
    ['boundaries alone', '--X\r\n'.repeat(400_000), 'boundary=X', /ends within|headers/],
    ['a body that stops', part('a', '1'), 'boundary=X', /ends within/],
  ])('%s is 400 and told', async (_case, body, boundary, why) => {
    const good = await fixture.goodCall(named);
    const call: Call = { ...good, body: Buffer.from(body), headers: { 'content-type': `multipart/form-data; ${boundary}` } };
    const began = performance.now();
    const answer = await fixture.call(named, call);
    expect([answer.status, codeOf(answer), textOf(answer)]).toEqual([400, 'invalid_multipart', expect.stringMatching(why)]);
    // work that grows with the square of the length takes minutes
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test('more than the limit is 413, whatever is in it', async () => {
    const good = await fixture.goodCall(named);
    const body = Buffer.from(`${part('a', 'x'.repeat(maxBodyBytes))}--X--`);
    const answer = await fixture.call(named, { ...good, body, headers: { 'content-type': 'multipart/form-data; boundary=X' } });
    expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
    const form = Buffer.from(`${part('a', 'x'.repeat(maxFormBytes))}--X--`);
    const refused = await fixture.call(named, { ...good, body: form, headers: { 'content-type': 'multipart/form-data; boundary=X' } });
    expect([refused.status, refused.raw]).toEqual([413, expect.stringContaining('POST /media/uploads')]);
  });
});
