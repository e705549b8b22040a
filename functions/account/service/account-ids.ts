import { listAllNumbers } from '../store/number.ts';

/** The business accounts (WABA) that a company sends from, without the secrets of their numbers. One Query, 0.5 RRU. */
export const listAccountIds = async (companyId: number): Promise<string[]> => {
  const active = (await listAllNumbers(companyId)).filter(({ status }) => status === 'active');
  return [...new Set(active.map(({ wabaId }) => wabaId))];
};
