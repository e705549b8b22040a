import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { getStoredProfile, type StoredProfile } from '../../account/service/stored-profiles.ts';
import { parseSettings, type Settings } from '../domain/settings.ts';

/** A verification profile with its settings complete: every key that is not stored has its default. */
export interface Profile extends StoredProfile {
  settings: Settings;
}

/** The profile of a call: the one of the key, else the requested one, else the company's default. 0.5 RRU with a key. */
export const getCallerProfile = async (
  caller: Principal,
  requestedId: string | undefined,
): Promise<Profile | Problem<'profile_mismatch' | 'profile_not_found'>> => {
  if (caller.subject !== undefined && requestedId !== undefined && requestedId !== caller.subject) return problem('profile_mismatch');
  const profile = await getStoredProfile(caller.companyId, caller.subject ?? requestedId);
  return profile ? { ...profile, settings: parseSettings(profile.settings) } : problem('profile_not_found');
};
