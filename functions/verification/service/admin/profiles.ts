import { randomUUID } from 'node:crypto';
import { isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../../shared/contract/route.ts';
import { fieldErrors } from '../../../../shared/http/parse.ts';
import { seal } from '../../../../shared/runtime/seal.ts';
import type { ProfileRecord } from '../../../account/contract/record.ts';
import {
  createProfile,
  listProfiles,
  getProfileRecord,
  revokeProfileTrust,
  setProfileStatus,
  updateProfile,
} from '../../../account/service/verification-profiles.ts';
import type { ProfileChanges } from '../../contract/admin.ts';
import { parseIdentifier } from '../../domain/identifier.ts';
import {
  findContradictions,
  mergeSettings,
  profileSettingsInput,
  type SettingsInput,
  toPublicSettings,
  withoutReadOnlyFields,
} from '../../domain/settings-input.ts';
import { parseSettings } from '../../domain/settings.ts';
import { captchaSecretContext } from '../captcha.ts';
import { revokeIdentifierTrust } from '../trust.ts';

type ProfileProblem = Problem<'not_found' | 'validation_failed' | 'conflict'>;

export const listVerificationProfiles = async (companyId: number): Promise<ProfileRecord[] | Problem<'not_found'>> => {
  const profiles = await listProfiles(companyId);
  return isProblem(profiles) ? profiles : profiles.map(toProfileRecord);
};

export const getVerificationProfile = async (companyId: number, id: string): Promise<ProfileRecord | Problem<'not_found'>> => {
  const profile = await getProfileRecord(companyId, id);
  return isProblem(profile) ? profile : toProfileRecord(profile);
};

/** Creates a profile. Its settings are stored by an update: the CAPTCHA secret is sealed under the profile's id. */
export const createVerificationProfile = async (
  companyId: number,
  input: { name: string; settings_json?: SettingsInput | undefined },
  once: Once = drawWithoutKey,
): Promise<ProfileRecord | ProfileProblem> => {
  const given = validateSettings(input.settings_json ?? {});
  if (isProblem(given)) return given;
  const created = await createProfile(companyId, { name: input.name, settings_json: newProfileSettings }, await once('id', randomUUID));
  if (isProblem(created) || Object.keys(given).length === 0) return isProblem(created) ? created : toProfileRecord(created);
  return updateVerificationProfile(companyId, created.id, { settings_json: given });
};

/** What a stranger with the public key can spend before the company has raised it: profiles of before have the ceilings of the settings. */
const newProfileSettings = { ceilings: { per_hour: 200, per_day: 2_000 } };

/** They are one item, which every call with a key of the profile may read. */
const maxSettingsBytes = 100_000;

/** Changes name, settings and status. Settings are merged key by key, to any depth, and validated as a whole. */
export const updateVerificationProfile = async (
  companyId: number,
  id: string,
  { name, status, settings_json: given }: ProfileChanges,
): Promise<ProfileRecord | ProfileProblem> => {
  const profile = await getProfileRecord(companyId, id);
  if (isProblem(profile)) return profile;
  const valid = validateSettings(given ?? {}, profile.settings_json);
  if (isProblem(valid)) return valid;
  const merged = mergeSettings(profile.settings_json, await sealCaptchaSecret(companyId, id, valid));
  const removed = Object.keys(profile.settings_json).filter((key) => !(key in merged));
  const settings_json = { ...merged, ...Object.fromEntries(removed.map((key) => [key, null])) };
  const updated = await updateProfile(companyId, id, { ...(name === undefined ? {} : { name }), settings_json });
  if (isProblem(updated) || status === undefined) return isProblem(updated) ? updated : toProfileRecord(updated);
  const switched = await setProfileStatus(companyId, id, status);
  return isProblem(switched) ? switched : toProfileRecord(switched);
};

export interface TrustRevocation {
  profile_id: string;
  revoked: true;
}

/** Invalidates the trust keys issued before now: of one identifier, or of the whole profile. */
export const revokeTrust = async (
  companyId: number,
  profileId: string,
  identifier: string | undefined,
): Promise<TrustRevocation | Problem<'not_found' | 'validation_failed'>> => {
  const revocation = { profile_id: profileId, revoked: true } as const;
  if (identifier === undefined) {
    const revoked = await revokeProfileTrust(companyId, profileId);
    return isProblem(revoked) ? revoked : revocation;
  }
  const profile = await getProfileRecord(companyId, profileId);
  if (isProblem(profile)) return profile;
  const parsed = parseIdentifier(identifier);
  if (!parsed) return problem('validation_failed', { errors: { identifier: ['Must be a phone number or an email address.'] } });
  await revokeIdentifierTrust(companyId, profileId, parsed);
  return revocation;
};

const toProfileRecord = (profile: ProfileRecord): ProfileRecord => ({
  ...profile,
  settings_json: toPublicSettings(parseSettings(profile.settings_json)),
});

/** The given settings without read-only fields, valid by themselves and together with the stored ones. */
function validateSettings(given: SettingsInput, stored: SettingsInput = {}): SettingsInput | Problem<'validation_failed'> {
  const result = profileSettingsInput.safeParse(given);
  if (!result.success) {
    const errors = Object.fromEntries(Object.entries(fieldErrors(result, given)).map(([field, why]) => [`settings_json.${field}`, why]));
    return problem('validation_failed', { errors });
  }
  const writable = withoutReadOnlyFields(given);
  const merged = mergeSettings(stored, writable);
  if (Buffer.byteLength(JSON.stringify(merged)) > maxSettingsBytes)
    return problem('validation_failed', {
      errors: { settings_json: [`Must have at most ${maxSettingsBytes} bytes with what is stored.`] },
    });
  const errors = findContradictions(parseSettings(merged));
  return Object.keys(errors).length > 0 ? problem('validation_failed', { errors }) : writable;
}

async function sealCaptchaSecret(companyId: number, profileId: string, given: SettingsInput): Promise<SettingsInput> {
  const captcha = given['captcha'] as { secret_key?: string | null } | null | undefined;
  if (!captcha?.secret_key) return given;
  return { ...given, captcha: { ...captcha, secret_key: await seal(captcha.secret_key, captchaSecretContext(companyId, profileId)) } };
}
