import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { Profile } from '../../client/client.ts';
import { api } from './client.ts';
import { onReconnected } from './connection.ts';
import type { StoredTexts } from './stored.ts';
import { DraftFiles } from './draft-files.ts';
import { deliver, Outbox, showSent } from './outbox.ts';
import { queryClient, read } from './queries.ts';
import { checkUser, filesFor, forgetSession, interruptSession, storedFor, leavePage, signedInNext, signedInNow } from './signed-in.ts';

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

/** Who can take care of a conversation: who can answer. */
export const useAssignees = () => useUsers().filter(({ status, role }) => status === 'active' && isAtLeast(role, 'member'));

/** Whether the pages come from `npm run dev`: the phone, and signing in with one click, are there alone. */
export const isLaptop = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

/** What belongs to one user of one company. It goes with signing out, and with the page where another user is signed in. */
export interface Session {
  /** Drafts, and what else survives a reload. */
  stored: StoredTexts;
  /** What is attached to drafts. */
  files: DraftFiles;
  outbox: Outbox;
}

let opened: Session | undefined;

/** The session of this page. Rejects where the API knows of none. */
export const openSession = async (): Promise<Session> => {
  const before = await signedInNext();
  const { data: me } = await queryClient.ensureQueryData({ ...read('getMe'), staleTime: 5 * 60_000 });
  if (opened) return opened;
  // another tab has signed in meanwhile: this may be who was signed in before
  if (signedInNow() !== before) return leavePage('/console/');
  const [stored, ownFiles] = [storedFor(me.company_id, me.id), filesFor(me.company_id, me.id)];
  const outbox = new Outbox(deliver, showSent, stored, ownFiles);
  opened = { stored, files: new DraftFiles(ownFiles), outbox };
  void outbox.load();
  onReconnected(outbox.retryUnanswered);
  addEventListener('storage', () => {
    stored.changed();
    void outbox.load();
    void checkUser();
  });
  return opened;
};

/** Only below the shell. */
export const useSession = (): Session => useRouteContext({ from: '/shell', select: ({ session }) => session });

let isSigningOut = false;

/** Signs out of this browser: the API first, then everything that is stored here. Who signs in next comes to `next`, a path of these pages. */
export const signOut = async (next?: string): Promise<void> => {
  const { data } = await api.listSessions();
  const current = data.find(({ is_current }) => is_current);
  isSigningOut = true;
  try {
    if (current) await api.deleteSession({ params: { id: current.id } });
  } catch (error) {
    isSigningOut = false;
    throw error;
  }
  await leaveEverywhere(next);
};

/** The API has ended the session: everything that is stored here goes as well. */
export const leaveEverywhere = async (next?: string): Promise<void> => {
  await forgetSession();
  await leavePage(`/console/sign-in${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`);
};

/** Where the API no longer knows the session. The same user comes back to this place, with what they wrote. */
export const leaveSession = async (): Promise<never> => {
  // a poll may know it before the answer to signing out is here: then nothing waits for the user
  if (isSigningOut) {
    await forgetSession();
    return leavePage('/console/sign-in');
  }
  interruptSession(location.pathname.replace(/^\/console/, '') + location.search);
  return leavePage('/console/sign-in?why=ended');
};
