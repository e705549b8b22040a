import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeObject, wholeObject } from '../../shared/objects/bucket.ts';
import { variableOf } from '../../shared/contract/resource.ts';

const files = { kind: 'bucket', name: 'files', purpose: 'Files' } as const;
beforeEach(() => {
  for (const [name, value] of Object.entries({
    [variableOf(files)]: 'files',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'y',
  }))
    vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test.each([403, 404])('a write that the store answers with %s throws, and a read of it finds nothing', async (status) => {
  const calls = vi.fn(() => Promise.resolve(new Response(null, { status })));
  vi.stubGlobal('fetch', calls);
  await expect(writeObject(files, 'a', 'text', 'text/plain')).rejects.toThrow(`The store answered ${status} to PUT`);
  expect(calls).toHaveBeenCalledTimes(1);
  expect(await wholeObject(files, 'a')).toBeUndefined();
});
