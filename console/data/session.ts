import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Profile } from '../../client/client.ts';
import { read } from './queries.ts';

export type Role = Profile['role'];
const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 };

/** Who is signed in. Only below the shell, which signs in first. */
export const useMe = (): Profile => useSuspenseQuery({ ...read('getMe'), staleTime: 5 * 60_000 }).data.data;

/** Whether the user's role is this one or a greater one. The API decides; pages only leave out what it would refuse. */
export const useMay = (role: Role): boolean => ranks[useMe().role] >= ranks[role];

export const isAtLeast = (role: Role, least: Role): boolean => ranks[role] >= ranks[least];

/** The users of the company by id, for names beside ids. Empty until they are read. */
export const useUsers = () => {
  const { data } = useQuery({ ...read('listUsers', { query: {} }), staleTime: 5 * 60_000 });
  return data?.data ?? [];
};

/** Whether the pages come from `npm run dev`: the phone, and signing in with one click, are there alone. */
export const isLaptop = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

const signedInName = 'switchboard.signed-in';

/** Whether a user signed in with this browser: no secret, only what spares a call that would be refused. The cookie decides. */
export const wasSignedIn = (): boolean => localStorage.getItem(signedInName) !== null;

export const rememberSignedIn = (is: boolean): void => {
  if (is) localStorage.setItem(signedInName, '1');
  else localStorage.removeItem(signedInName);
};
