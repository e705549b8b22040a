import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { getProfileSince, getStoredProfile, type StoredProfile } from '../../account/service/stored-profiles.ts';
import { parseSettings, type Settings } from '../domain/settings.ts';

/** A verification profile with its settings complete: every key that is not stored has its default. */
export interface CompleteProfile extends StoredProfile {
  settings: Settings;
}

/** What this process has read, by profile. */
const held = processMap<string, { profile: CompleteProfile; readAt: number }>();
const maxHeld = 1_000;
/** A change whose call died before it was copied to the keys holds within this time; an answered one with the next call. */
const heldMs = 10_000;

/**
 * The profile of a call: the one of the key, else the requested one, else the company's default. 0.5 RRU; none with a key whose profile the
 * process holds at the key's revision.
 */
export const getCallerProfile = async (
  caller: Principal,
  requestedId: string | undefined,
): Promise<CompleteProfile | Problem<'profile_mismatch' | 'profile_not_found'>> => {
  const { companyId, subject, subjectRevision: revision } = caller;
  if (subject !== undefined && requestedId !== undefined && requestedId !== subject) return problem('profile_mismatch');
  if (subject === undefined || revision === undefined) {
    const profile = await getStoredProfile(companyId, subject ?? requestedId);
    return profile ? withSettings(profile) : problem('profile_not_found');
  }
  const key = `${companyId}:${subject}`;
  const known = held.get(key);
  const at = now();
  if (known && (known.profile.revision ?? 0) >= revision && Math.abs(at - known.readAt) < heldMs) return known.profile;
  const profile = await getProfileSince(companyId, subject, revision);
  if (!profile) return problem('profile_not_found');
  if (held.size >= maxHeld) held.clear();
  const complete = withSettings(profile);
  held.set(key, { profile: complete, readAt: at });
  return complete;
};

export const withSettings = (profile: StoredProfile): CompleteProfile => ({ ...profile, settings: parseSettings(profile.settings) });
