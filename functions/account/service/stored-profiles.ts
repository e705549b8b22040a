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
  revision?: number | undefined;
}

/** No company's: codes with which users sign in to the product itself belong to it. */
export const signInCompanyId = 0;

/** The profile of those codes. An email of it has a code and nothing to click: signing in is done where the code was requested. */
export const signInProfile: StoredProfile = {
  companyId: signInCompanyId,
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Switchboard',
  status: 'active',
  settings: {
    channels: ['email'],
    default_channel: 'email',
    magic_link: { enabled: false },
    one_click: { enabled: false },
    trust: { ttl_days: 0 },
    block_disposable: false,
    // a source requests codes for one address a little less often than a mailbox gets mails; an office has many users
    bombing: { max_requests: 4 },
    velocity: { max_identifiers: 200 },
    ceilings: { per_hour: 10_000, per_day: 100_000 },
  },
};

/** A profile at this revision or a later one. One GetItem, 0.5 RRU; a stale answer is read again consistently, 1 RRU. */
export const getProfileSince = async (companyId: number, id: string, revision: number): Promise<StoredProfile | undefined> => {
  const read = await getProfileById(companyId, id);
  return read && (read.revision ?? 0) >= revision ? read : getProfileById(companyId, id, { consistent: true });
};

/** A profile by id, or the company's default. One GetItem, 0.5 RRU; the default is one Query, 0.5 RRU for about 8 profiles. */
export const getStoredProfile = async (companyId: number, id: string | undefined): Promise<StoredProfile | undefined> =>
  companyId === signInCompanyId
    ? signInProfile
    : id === undefined
      ? (await listAllProfiles(companyId)).find(({ isDefault }) => isDefault)
      : getProfileById(companyId, id);

/** The profiles of a company, oldest first. One Query, 0.5 RRU for about 8. */
export const listStoredProfiles = (companyId: number): Promise<StoredProfile[]> => listAllProfiles(companyId);
