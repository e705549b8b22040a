import { listActiveUsers, getUser, type User } from '../../account/service/users.ts';

/** The team, as the CRM sees it: who may own enquiries and tasks, and names for those who once did. */

/** Whoever may write may own; viewers only read (A70). */
const isAssignable = ({ status, role }: User): boolean => status === 'active' && role !== 'viewer';

/** The assignable people. 0.5 RRU for about 15. */
export const listAssignees = async (companyId: number): Promise<User[]> => (await listActiveUsers(companyId)).filter(isAssignable);

export const canOwn = async (companyId: number, userId: number): Promise<boolean> => {
  const user = await getUser(companyId, userId);
  return user !== undefined && isAssignable(user);
};

/** Names by id; of the inactive ones only those that are asked for (0.5 RRU each). */
export const getUserNames = async (companyId: number, ids: readonly (number | undefined)[]): Promise<Map<number, string>> => {
  const names = new Map((await listActiveUsers(companyId)).map(({ id, name }) => [id, name]));
  const gone = [...new Set(ids)].filter((id) => id !== undefined).filter((id) => id !== 0 && !names.has(id));
  for (const user of await Promise.all(gone.map((id) => getUser(companyId, id)))) if (user) names.set(user.id, user.name);
  return names;
};
