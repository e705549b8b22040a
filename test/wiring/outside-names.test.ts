import { lookup, Resolver } from 'node:dns';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** No test calls a host of others, and none depends on what a name server says, wherever it runs (test/support/outside-names.ts). */
type Found = readonly string[] | string | undefined;
const known = 'graph.facebook.com';
const found = (find: (done: (error: NodeJS.ErrnoException | null, addresses?: Found) => void) => void): Promise<string> =>
  new Promise((resolve) => find((error, addresses) => resolve(error?.code ?? String(addresses))));

test('names of others are unknown in a test, however they are looked up; the own machine is found', async () => {
  const resolver = new Resolver();
  expect(await found((done) => lookup(known, done))).toBe('ENOTFOUND');
  expect(await found((done) => resolver.resolve4(known, done))).toBe('ENOTFOUND');
  expect(await found((done) => resolver.resolve6(known, done))).toBe('ENOTFOUND');
  const [error] = (await once(connect({ host: known, port: 443 }), 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ENOTFOUND');
  await expect(fetch(`https://${known}/`)).rejects.toThrow('fetch failed');
  expect(await found((done) => lookup('localhost', { family: 4 }, done))).toBe('127.0.0.1');
});
