import { findProfile, findProfiles } from '../store/verification.ts';

export interface VerificationProfileRecord {
  companyId: number;
  id: string;
  name: string;
  status: 'active' | 'inactive';
  /** As given; the verification context knows the defaults. */
  settings: Record<string, unknown>;
}

/** A profile by id, or the company's default. One GetItem, 0.5 RRU; the default is one Query, 0.5 RRU for about 8 profiles. */
export const readProfile = async (companyId: number, id: string | undefined): Promise<VerificationProfileRecord | undefined> =>
  id === undefined ? (await findProfiles(companyId)).find(({ isDefault }) => isDefault) : findProfile(companyId, id);
