import { listActiveUsers, getUser, type User } from '../../account/service/users.ts';

/** The team members who can own leads and tasks, and the names of those who did. */

/** Members who can write can own; viewers only read. */
const isAssignable = ({ status, role }: User): boolean => status === 'active' && role !== 'viewer';

export const notAssignableText = 'Must be an active member of the team with write access.';

/** 0.5 RRU for about 15. */
export const listAssignees = async (companyId: number): Promise<User[]> => (await listActiveUsers(companyId)).filter(isAssignable);

export const canOwn = async (companyId: number, userId: number): Promise<boolean> => {
  const user = await getUser(companyId, userId);
  return user !== undefined && isAssignable(user);
};

/** Names by user id. Inactive users are read one by one, where their id is requested (0.5 RRU each). */
export const getUserNames = async (companyId: number, ids: readonly (number | undefined)[]): Promise<Map<number, string>> => {
  const names = new Map((await listActiveUsers(companyId)).map(({ id, name }) => [id, name]));
  const inactive = [...new Set(ids)].filter((id) => id !== undefined).filter((id) => id !== 0 && !names.has(id));
  for (const user of await Promise.all(inactive.map((id) => getUser(companyId, id)))) if (user) names.set(user.id, user.name);
  return names;
};

/** Attempts of an optimistic write before the call fails with 503, or the queue message is delivered again. */
export const maxAttempts = 16;
