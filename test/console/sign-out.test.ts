import { left, storage } from './fake-browser.ts';
import { afterEach, expect, test, vi } from 'vitest';

const { api } = await import('../../console/data/client.ts');
const { leaveSession, signOut } = await import('../../console/data/session.ts');
const { storedFor } = await import('../../console/data/signed-in.ts');

afterEach(() => vi.restoreAllMocks());
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const ownNames = (): string[] => Object.keys(storage).filter((name) => name.includes('.1.5.'));

test('a session that ended by itself leaves what its user wrote for them; one that its user ends leaves nothing, also where a poll knows it first', async () => {
  storedFor(1, 5).set('draft.7', 'Half a thought');
  void leaveSession();
  await rest();
  expect(ownNames()).toContain('switchboard.1.5.draft.7');
  storedFor(1, 5);
  left.length = 0;
  vi.spyOn(api, 'listSessions').mockResolvedValue({ data: [{ id: 3, is_current: true }] } as never);
  vi.spyOn(api, 'deleteSession').mockImplementation(() => new Promise<never>(() => undefined));
  void signOut();
  await rest();
  void leaveSession();
  await rest();
  expect(left).toEqual(['/console/sign-in']);
  expect(ownNames()).toEqual([]);
});
