import { left } from './fake-browser.ts';
import { beforeEach, expect, test, vi } from 'vitest';

type Client = typeof import('../../console/data/client.ts');

const calls: Headers[] = [];
let answer: () => Response;
let api: Client['api'];
let signIn: (companyId: number, userId: number) => void;

beforeEach(async () => {
  vi.resetModules();
  calls.length = 0;
  answer = () => Response.json({ status: 'success', message: '', data: {} });
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    calls.push(new Headers(init.headers));
    return answer();
  });
  ({ api } = await import('../../console/data/client.ts'));
  const { storedFor } = await import('../../console/data/signed-in.ts');
  signIn = (companyId, userId) => void storedFor(companyId, userId);
});

/** Whether a call is answered, with anything. */
const isAnswered = (call: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    call.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 50)),
  ]);
const refuse = (code: string) => (): Response => Response.json({ status: 'error', code, message: 'Refused.' }, { status: 409 });

test('each call says for which user of which company the page makes it, beside what it said before', async () => {
  signIn(1, 5);
  await api.getMe();
  await api.updateCompanySettings({ body: { name: 'Alder' } });
  expect(calls.map((headers) => headers.get('x-session'))).toEqual(['1:5', '1:5']);
  expect(calls[1]?.get('content-type')).toBe('application/json');
  expect(calls[1]?.get('x-session-request')).toBe('1');
});

test('a page that does not know yet whose it is names nobody', async () => {
  await api.getMe();
  expect(calls[0]?.has('x-session')).toBe(false);
});

test('a call of another session is not answered: the page ends, and sends nothing again', async () => {
  signIn(1, 5);
  answer = refuse('other_session');
  expect(await isAnswered(api.updateCompanySettings({ body: { name: 'Alder' } }))).toBe(false);
  expect(calls).toHaveLength(1);
  expect(left).toEqual(['/console/']);
});

test('another conflict is answered as ever', async () => {
  signIn(1, 5);
  answer = refuse('version_conflict');
  await expect(api.updateCompanySettings({ body: { name: 'Alder' } })).rejects.toThrow('Refused.');
  expect(left).toEqual([]);
});
