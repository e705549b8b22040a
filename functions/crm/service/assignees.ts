import { listActiveUsers, getUser, type User } from '../../account/service/users.ts';

/** The team members who can own leads and tasks. */

/** Members who can write can own; viewers only read. */
const isAssignable = ({ status, role }: User): boolean => status === 'active' && role !== 'viewer';

export const notAssignableText = 'Must be an active member of the team with write access.';

/** 0.5 RRU for about 15. */
export const listAssignees = async (companyId: number): Promise<User[]> => (await listActiveUsers(companyId)).filter(isAssignable);

export const canOwn = async (companyId: number, userId: number): Promise<boolean> => {
  const user = await getUser(companyId, userId);
  return user !== undefined && isAssignable(user);
};

/** Attempts of an optimistic write before the call fails with 503, or the queue message is delivered again. */
export const maxWriteAttempts = 16;
