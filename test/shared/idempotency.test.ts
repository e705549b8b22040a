import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { canonical } from '../../shared/runtime/json.ts';
import { credential } from '../support/credentials.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp } from '../support/test-app.ts';
import { sampleContext } from './sample/context.ts';
import { gate, runs } from './sample/http.ts';

const testApp = await startTestApp({ contexts: [sampleContext] });
afterAll(() => testApp.stop());
beforeEach(() => {
  runs.length = 0;
  gate.wait = undefined;
});

const token = await credential();
let keys = 0;
const newKey = (): string => `key-${++keys}`;
const write = (key: string, body: unknown, more: { token?: string; path?: string } = {}) =>
  testApp.call({
    method: 'POST',
    path: more.path ?? '/api/v1/notes',
    token: more.token ?? token,
    headers: { 'Idempotency-Key': key },
    body,
  });

describe('Idempotency-Key', () => {
  test('the same request again is answered with the same body, marked as replayed, and not run again', async () => {
    const key = newKey();
    const first = await write(key, { text: 'a' });
    const second = await write(key, { text: 'a' });
    expect(second.raw).toBe(first.raw);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['x-request-id']).toMatch(/^req_/);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(second.headers).toMatchObject({ 'content-type': 'application/json', 'x-api-version': '1.0', 'x-ratelimit-limit': '600' });
    expect(runs).toHaveLength(1);
  });

  test('the order of keys in the body and an alias of the path are the same request', async () => {
    const key = newKey();
    const first = await write(key, '{"text":"a","nth":1}');
    const second = await write(key, '{ "nth": 1, "text": "a" }', { path: '/v1/notes' });
    expect(second.raw).toBe(first.raw);
    expect(runs).toHaveLength(1);
  });

  test('the same key with another body is 409 and runs nothing', async () => {
    const key = newKey();
    await write(key, { text: 'a' });
    const other = await write(key, { text: 'b' });
    expect([other.status, other.body]).toMatchObject([409, { code: 'idempotency_key_reused' }]);
    expect(runs).toHaveLength(1);
  });

  test('another company may use the same key for itself', async () => {
    const key = newKey();
    await write(key, { text: 'a' });
    const other = await write(key, { text: 'b' }, { token: await credential({ companyId: 2 }) });
    expect(other.status).toBe(200);
    expect(runs).toHaveLength(2);
  });

  test('while the first request runs, the second is 409 with Retry-After; afterwards it gets the answer', async () => {
    const key = newKey();
    let open: () => void = () => undefined;
    gate.wait = new Promise((resolve) => {
      open = resolve;
    });
    const first = write(key, { text: 'a' });
    while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await write(key, { text: 'a' });
    expect([second.status, second.headers['retry-after'], second.body]).toMatchObject([409, '1', { code: 'idempotency_in_progress' }]);
    open();
    expect((await write(key, { text: 'a' }).then(async (third) => ((await first).status === 200 ? third : third))).status).toBeOneOf([
      200, 409,
    ]);
    expect((await write(key, { text: 'a' })).raw).toBe((await first).raw);
    expect(runs).toHaveLength(1);
  });

  test('of many at once exactly one runs', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 12 }, () => write(key, { text: 'a' })));
    expect(runs).toHaveLength(1);
    for (const answer of answers) expect(answer.status).toBeOneOf([200, 409]);
  });

  test('after a 5xx the repetition resumes the same operation', async () => {
    const key = newKey();
    expect((await write(key, { text: 'a', fail: 'throw' })).status).toBe(500);
    expect((await write(key, { text: 'a', fail: 'throw' })).status).toBe(500);
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
  });

  test('after a crash the repetition waits for the lease, then resumes the same operation', async () => {
    const key = newKey();
    using _crash = testApp.onTable(({ command, input, when }) => {
      const delivers = command === 'UpdateItem' && JSON.stringify(input['Key']).includes('IDEM');
      if (delivers && when === 'before') throw tableError('SimulatedCrash');
    });
    await write(key, { text: 'a' });
    _crash[Symbol.dispose]();
    expect((await write(key, { text: 'a' })).status).toBe(409);
    testApp.clock.advance(36_000);
    expect((await write(key, { text: 'a' })).status).toBe(200);
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
  });

  test('what was drawn once is the same for the repetition after a crash', async () => {
    const key = newKey();
    {
      let writes = 0;
      using _crash = testApp.onTable(({ command, input, when }) => {
        const isOurs = command === 'UpdateItem' && JSON.stringify(input['Key']).includes('IDEM');
        if (isOurs && when === 'before' && ++writes > 1) throw tableError('SimulatedCrash');
      });
      await write(key, { text: 'a', draws: true });
    }
    testApp.clock.advance(36_000);
    const again = await write(key, { text: 'a', draws: true });
    expect([runs.length, again.body]).toMatchObject([2, { data: { id: 1 } }]);
  });

  test('a refused request is not kept, an outcome that is a refusal is', async () => {
    const [rejected, completed] = [newKey(), newKey()];
    expect((await write(rejected, { text: 'a', fail: 'reject' })).status).toBe(409);
    expect((await write(rejected, { text: 'a', fail: 'reject' })).headers['idempotent-replayed']).toBeUndefined();
    expect((await write(completed, { text: 'a', fail: 'settle' })).status).toBe(422);
    const again = await write(completed, { text: 'a', fail: 'settle' });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([422, 'true']);
    expect(runs).toHaveLength(3);
  });

  test('a request that validation refuses gives its key back: the corrected body runs under the same key', async () => {
    const key = newKey();
    expect((await write(key, { text: '' })).status).toBe(422);
    expect((await write(key, { text: '' })).status).toBe(422);
    expect(runs).toHaveLength(0);
    const corrected = await write(key, { text: 'a' });
    expect([corrected.status, corrected.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect((await write(key, { text: 'a' })).raw).toBe(corrected.raw);
    expect((await write(key, { text: 'b' })).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect(runs).toHaveLength(1);
  });

  test('of many corrected requests at once under a key that was given back, exactly one runs', async () => {
    const key = newKey();
    expect((await write(key, { text: '' })).status).toBe(422);
    const answers = await Promise.all(Array.from({ length: 12 }, () => write(key, { text: 'a' })));
    expect(runs).toHaveLength(1);
    for (const answer of answers) expect(answer.status).toBeOneOf([200, 409]);
  });

  test('a refusal for another reason keeps the key with its request', async () => {
    const key = newKey();
    expect((await write(key, { text: 'a', fail: 'reject' })).status).toBe(409);
    expect((await write(key, { text: 'b' })).body).toMatchObject({ code: 'idempotency_key_reused' });
  });

  test('a repetition after a crash keeps its operation, even if validation refuses it now', async () => {
    const key = newKey();
    {
      using _crash = testApp.onTable(({ command, input, when }) => {
        const stores = command === 'UpdateItem' && JSON.stringify(input['Key']).includes('IDEM');
        if (stores && when === 'before') throw tableError('SimulatedCrash');
      });
      await write(key, { text: 'a' });
    }
    testApp.clock.advance(36_000);
    expect((await write(key, { text: '' })).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await write(key, { text: 'a' })).status).toBe(200);
    expect(new Set(runs).size).toBe(1);
  });

  test('after a day the key is free again', async () => {
    const key = newKey();
    await write(key, { text: 'a' });
    testApp.clock.advance(25 * 3_600_000);
    expect((await write(key, { text: 'another' })).status).toBe(200);
    expect(runs).toHaveLength(2);
  });

  test.each(['', 'x'.repeat(256), 'ümlaut', 'tab\there'])('the key %j is 400', async (key) => {
    const answer = await write(key, { text: 'a' });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_idempotency_key' }]);
  });
});

describe('canonical', () => {
  test('does not depend on the order of keys, does on the order of lists', () => {
    expect(canonical({ b: [1, { d: 1, c: null }], a: 'x' })).toBe(canonical({ a: 'x', b: [1, { c: null, d: 1 }] }));
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect(canonical({ a: undefined })).toBe('{}');
  });
});
