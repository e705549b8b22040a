import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FunctionPool, InjectedCrash } from '../../lib/local/functions.ts';

const pool = new FunctionPool(
  {
    name: 'fixture',
    arn: 'arn:aws:lambda:eu-central-1:000000000000:function:fixture',
    file: join(import.meta.dirname, 'fixture/handlers.mjs'),
    handlerName: 'api',
    timeoutMs: 60_000,
    memoryMb: 128,
    variables: {},
    dynamodbPort: 0,
    shared: new SharedArrayBuffer(16),
    print: () => {},
  },
  { environments: 1, concurrency: 2, memories: 1, niceness: 0 },
);
afterAll(() => pool.stop());
const eventOf = (path: string) => ({ requestContext: { http: { path } } });
const call = (): Promise<unknown> => pool.invoke(eventOf('/date'));

test('a function keeps its last environment a while, ends it when it is not called, and starts again with the next call', async () => {
  expect(pool.environments).toBe(0);
  await call();
  pool.retire({ othersAfterMs: 0, lastAfterMs: 3_600_000 });
  await call();
  expect(pool.environments).toBe(1);
  pool.retire({ othersAfterMs: 0, lastAfterMs: 0 });
  await expect.poll(() => pool.environments).toBe(0);
  await call();
  expect(pool.environments).toBe(1);
});

test('an injected crash ends what it hits, and nothing that runs beside it', async () => {
  const beside = pool.invoke(eventOf('/slow'));
  const hit = pool.invoke(eventOf('/slow'), { at: 'middle', afterMs: 20 });
  await expect(hit).rejects.toThrow(InjectedCrash);
  await expect(beside).resolves.toMatchObject({ body: 'done' });
});
