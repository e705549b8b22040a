import { getProfileById, listAllProfiles } from '../store/verification-profile.ts';

export interface StoredProfile {
  companyId: number;
  id: string;
  name: string;
  status: 'active' | 'inactive';
  companyStatus?: 'suspended' | undefined;
  /** As given; the verification context merges the defaults. */
  settings: Record<string, unknown>;
  /** Trust keys issued before this time (epoch milliseconds) are revoked (V19). */
  trustFrom?: number | undefined;
}

/** A profile by id, or the company's default. One GetItem, 0.5 RRU; the default is one Query, 0.5 RRU for about 8 profiles. */
export const getStoredProfile = async (companyId: number, id: string | undefined): Promise<StoredProfile | undefined> =>
  id === undefined ? (await listAllProfiles(companyId)).find(({ isDefault }) => isDefault) : getProfileById(companyId, id);

/** The profiles of a company, oldest first. One Query, 0.5 RRU for about 8. */
export const listStoredProfiles = (companyId: number): Promise<StoredProfile[]> => listAllProfiles(companyId);
