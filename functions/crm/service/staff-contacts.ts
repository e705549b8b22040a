import { listPreferences } from '../store/preference.ts';

/** Contacts that are verified work numbers of team members. 0.5 RRU. */
export const getStaffContactIds = async (companyId: number): Promise<ReadonlySet<number>> =>
  new Set((await listPreferences(companyId, { consistent: false })).flatMap(({ contactId }) => contactId ?? []));
