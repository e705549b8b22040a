import { randomUUID } from 'node:crypto';
import { isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawnNow, type Once } from '../../../../shared/contract/route.ts';
import { fieldErrors } from '../../../../shared/http/parse.ts';
import { seal } from '../../../../shared/runtime/seal.ts';
import type { ProfileRecord } from '../../../account/contract.ts';
import {
  createProfile,
  listProfiles,
  readVerificationProfile,
  revokeProfileTrust,
  turnProfile,
  updateProfile,
} from '../../../account/service/verification.ts';
import type { ProfileChanges } from '../../contract/admin.ts';
import { parseIdentifier } from '../../domain/identifier.ts';
import { contradictions, mergedSettings, settingsInput, type SettingsInput, shownSettings } from '../../domain/settings-input.ts';
import { settingsOf } from '../../domain/settings.ts';
import { aboutCaptcha } from '../captcha.ts';
import { takeTrustBack } from '../trust.ts';

type Refused = Problem<'not_found' | 'validation_failed' | 'conflict'>;

export const listVerificationProfiles = async (companyId: number): Promise<ProfileRecord[] | Problem<'not_found'>> => {
  const profiles = await listProfiles(companyId);
  return isProblem(profiles) ? profiles : profiles.map(shown);
};

export const getVerificationProfile = async (companyId: number, id: string): Promise<ProfileRecord | Problem<'not_found'>> => {
  const profile = await readVerificationProfile(companyId, id);
  return isProblem(profile) ? profile : shown(profile);
};

/** A profile with settings that fit (V1). Its CAPTCHA secret is sealed under its id, so that is written when the id is known. */
export const createVerificationProfile = async (
  companyId: number,
  input: { name: string; settings_json?: SettingsInput | undefined },
  once: Once = drawnNow,
): Promise<ProfileRecord | Refused> => {
  const given = checked(input.settings_json ?? {});
  if (isProblem(given)) return given;
  const created = await createProfile(companyId, { name: input.name }, await once('id', randomUUID));
  if (isProblem(created) || Object.keys(given).length === 0) return isProblem(created) ? created : shown(created);
  return updateVerificationProfile(companyId, created.id, { settings_json: given });
};

/** Settings are merged key by key, to any depth (V3); what contradicts itself after that is refused. */
export const updateVerificationProfile = async (
  companyId: number,
  id: string,
  { name, status, settings_json: given }: ProfileChanges,
): Promise<ProfileRecord | Refused> => {
  const profile = await readVerificationProfile(companyId, id);
  if (isProblem(profile)) return profile;
  const fitting = checked(given ?? {}, profile.settings_json);
  if (isProblem(fitting)) return fitting;
  const merged = mergedSettings(profile.settings_json, await sealed(companyId, id, fitting));
  const gone = Object.keys(profile.settings_json).filter((key) => !(key in merged));
  const settings_json = { ...merged, ...Object.fromEntries(gone.map((key) => [key, null])) };
  const updated = await updateProfile(companyId, id, { ...(name === undefined ? {} : { name }), settings_json });
  if (isProblem(updated) || status === undefined) return isProblem(updated) ? updated : shown(updated);
  const turned = await turnProfile(companyId, id, status);
  return isProblem(turned) ? turned : shown(turned);
};

/** Trust keys given before now are worth nothing any more (V19). */
export const revokeTrust = async (
  companyId: number,
  profileId: string,
  identifier: string | undefined,
): Promise<Problem<'not_found' | 'validation_failed'> | undefined> => {
  if (identifier === undefined) {
    const revoked = await revokeProfileTrust(companyId, profileId);
    return isProblem(revoked) ? revoked : undefined;
  }
  const profile = await readVerificationProfile(companyId, profileId);
  if (isProblem(profile)) return profile;
  const parsed = parseIdentifier(identifier);
  if (!parsed) return problem('validation_failed', { errors: { identifier: ['Must be a phone number or an email address.'] } });
  await takeTrustBack(companyId, profileId, parsed);
  return undefined;
};

const shown = (profile: ProfileRecord): ProfileRecord => ({ ...profile, settings_json: shownSettings(settingsOf(profile.settings_json)) });

function checked(given: SettingsInput, stored: SettingsInput = {}): SettingsInput | Problem<'validation_failed'> {
  const result = settingsInput.safeParse(given);
  if (!result.success) {
    const errors = Object.fromEntries(Object.entries(fieldErrors(result, given)).map(([field, why]) => [`settings_json.${field}`, why]));
    return problem('validation_failed', { errors });
  }
  const errors = contradictions(settingsOf(mergedSettings(stored, given)));
  return Object.keys(errors).length > 0 ? problem('validation_failed', { errors }) : given;
}

async function sealed(companyId: number, profileId: string, given: SettingsInput): Promise<SettingsInput> {
  const captcha = given['captcha'] as { secret_key?: string | null } | null | undefined;
  if (!captcha?.secret_key) return given;
  return { ...given, captcha: { ...captcha, secret_key: await seal(captcha.secret_key, aboutCaptcha(companyId, profileId)) } };
}
