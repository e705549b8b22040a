import { getUser, listActiveUsers } from './users.ts';

/** Names by user id. Inactive users are read one by one, where their id is requested (0.5 RRU each). */
export const getUserNames = async (companyId: number, ids: readonly (number | undefined)[]): Promise<Map<number, string>> => {
  const names = new Map((await listActiveUsers(companyId)).map(({ id, name }) => [id, name]));
  const inactive = [...new Set(ids)].filter((id) => id !== undefined).filter((id) => id !== 0 && !names.has(id));
  for (const user of await Promise.all(inactive.map((id) => getUser(companyId, id)))) if (user) names.set(user.id, user.name);
  return names;
};
