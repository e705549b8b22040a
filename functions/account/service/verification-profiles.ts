import { randomUUID } from 'node:crypto';
import { newToken } from '../../../shared/access/token.ts';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { hourMs, now } from '../../../shared/runtime/clock.ts';
import { seal } from '../../../shared/runtime/seal.ts';
import { missing } from '../../../shared/table/condition.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { KeyRecord, ProfileRecord } from '../contract/record.ts';
import type { ProfileInput } from '../contract/profile.ts';
import { overlapHours } from '../contract/token.ts';
import { profileInput } from '../contract/profile.ts';
import { defaultOverlapHours } from '../domain/credential.ts';
import { toProfileRecord, time } from './records.ts';
import { updateCompanyPart } from '../store/company.ts';
import { updateCredentialOfProfile, getPointer, listPointers, type Pointer, nextCredentialId } from '../store/credential.ts';
import {
  updateProfileById,
  checkProfilePart,
  getProfileById,
  listAllProfiles,
  createProfilePart,
  type VerificationProfile,
} from '../store/verification-profile.ts';
import { requireCompany } from './companies.ts';
import {
  commitIfCompanyUnchanged,
  getLastUses,
  newCredential,
  type CredentialPermissions,
  previousExpiry,
  revokeParts,
  rotateCredential,
} from './credentials.ts';
import { parseServiceInput } from './input.ts';
import { credentialSealContext } from './signing-secrets.ts';

/** Creates a verification profile; the first one of a company is its default. `id`: a UUID that belongs to this operation. */
export const createProfile = async (
  companyId: number,
  input: ProfileInput,
  id: string = randomUUID(),
): Promise<ProfileRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const fields = parseServiceInput(profileInput, input);
  if (isProblem(fields)) return fields;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const at = now();
  const profile: VerificationProfile = {
    companyId,
    id,
    name: fields.name,
    status: 'active',
    isDefault: company.defaultProfileId === undefined,
    settings: fields.settings_json ?? {},
    createdAt: at,
    updatedAt: at,
  };
  const claim = updateCompanyPart(companyId, { set: { defaultProfileId: profile.id } }, missing('defaultProfileId'));
  const committed = await commit([createProfilePart(profile), ...(profile.isDefault ? [claim] : [])]);
  if (committed.done) return toProfileRecord(profile);
  const second = { ...profile, isDefault: false };
  if ((await commit([createProfilePart(second)])).done) return toProfileRecord(second);
  // an earlier attempt of the same operation created it
  const existing = await getProfileById(companyId, id);
  return existing ? toProfileRecord(existing) : problem('conflict');
};

export const listProfiles = async (companyId: number): Promise<ProfileRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  return isProblem(company) ? company : (await listAllProfiles(companyId)).map(toProfileRecord);
};

export const getProfileRecord = async (companyId: number, id: string): Promise<ProfileRecord | Problem<'not_found'>> => {
  const profile = await getProfileById(companyId, id);
  return profile ? toProfileRecord(profile) : profileNotFound(companyId, id);
};

/** Merges settings key by key (V3); null removes a key. */
export const updateProfile = async (
  companyId: number,
  id: string,
  changes: Partial<ProfileInput>,
): Promise<ProfileRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parseServiceInput(profileInput.partial(), changes);
  if (isProblem(fields)) return fields;
  const profile = await getProfileById(companyId, id);
  if (!profile) return profileNotFound(companyId, id);
  const merged = Object.entries({ ...profile.settings, ...fields.settings_json }).filter(([, value]) => value !== null);
  return changeProfile(companyId, id, {
    settings: Object.fromEntries(merged),
    ...(fields.name === undefined ? {} : { name: fields.name }),
  });
};

/** Activates or deactivates a profile. It takes effect with the next call of its keys. Repeating it finishes the work of a crashed call. */
export const setProfileStatus = (
  companyId: number,
  id: string,
  status: VerificationProfile['status'],
): Promise<ProfileRecord | Problem<'not_found'>> => changeProfile(companyId, id, { status });

/** Revokes all trust keys of a profile (V19). */
export const revokeProfileTrust = (companyId: number, id: string): Promise<ProfileRecord | Problem<'not_found'>> =>
  changeProfile(companyId, id, { trustFrom: now() });

/**
 * Writes a change with the next revision, then copies status and revision to the profile's keys: by them a call knows, without a read,
 * whether the profile that its process holds is the latest (docs/decisions/credential-check-in-one-write.md). 1 WRU, and 1 a key.
 */
async function changeProfile(
  companyId: number,
  id: string,
  fields: Partial<VerificationProfile>,
): Promise<ProfileRecord | Problem<'not_found'>> {
  const written = await updateProfileById(companyId, id, { set: { ...fields, updatedAt: now() }, add: { revision: 1 } });
  if (!written.done) return profileNotFound(companyId, id);
  const { status, revision = 0 } = written.item;
  const pointers = [...(await listPointers(companyId, 'public_key')), ...(await listPointers(companyId, 'secret_key'))];
  const hashes = pointers
    .filter(({ subject }) => subject === id)
    .flatMap(({ hash, previous }) => [hash, ...previous.map((old) => old.hash)]);
  const copy = { subjectStatus: status === 'inactive' ? status : undefined, subjectRevision: revision };
  for (let start = 0; start < hashes.length; start += 16)
    await Promise.all(hashes.slice(start, start + 16).map((hash) => updateCredentialOfProfile(hash, copy)));
  return toProfileRecord(written.item);
}

/** A key pair with its secret key, which is shown once. */
export interface IssuedKey {
  key: KeyRecord;
  public_key: string;
  secret_key: string;
}
type Refused = Problem<'not_found' | 'validation_failed' | 'conflict'>;

export interface KeyInput {
  name?: string | undefined;
  mode?: 'live' | 'test' | undefined;
}

/** Keys created before by a caller that had to store them first. */
export interface GivenPair {
  public_key: string;
  secret_key: string;
}

/**
 * Creates a public and a secret key for a profile (V4). Both are credentials under one id, so that calls with either are checked like a token.
 * The secret key is also stored sealed, because signatures need it (V5). The commit fails if the profile changes meanwhile,
 * because that change did not reach these keys.
 */
export const issueKey = async (companyId: number, profileId: string, input: KeyInput, given?: GivenPair): Promise<IssuedKey | Refused> => {
  if (!(await getProfileById(companyId, profileId))) return profileNotFound(companyId, profileId);
  const id = await nextCredentialId(companyId);
  const mode = input.mode ?? 'live';
  const pair = given ?? newPair(mode);
  const sealedSecret = await seal(pair.secret_key, credentialSealContext(companyId, 'secret_key', id));
  const attempt = async () => {
    const [company, profile] = await Promise.all([requireCompany(companyId), getProfileById(companyId, profileId)]);
    if (isProblem(company)) return company;
    if (!profile) return profileNotFound(companyId, profileId);
    const spec = { companyId, id, uuid: randomUUID(), name: input.name ?? '', userId: 0, subject: profileId };
    const powers = permissionsUnder(profile);
    const publicHalf = newCredential(
      company,
      { ...spec, credentialKind: 'public_key', publicKey: pair.public_key },
      powers,
      pair.public_key,
    );
    const secretHalf = newCredential(company, { ...spec, credentialKind: 'secret_key', sealedSecret }, powers, pair.secret_key);
    const isDone = await commitIfCompanyUnchanged(company, [...publicHalf.parts, ...secretHalf.parts, checkProfilePart(profile)]);
    return isDone ? { key: toKeyRecord(publicHalf.pointer, secretHalf.pointer, undefined), ...pair } : conflict;
  };
  return retryOnConflict<IssuedKey | Refused>(5, attempt, () => problem('conflict'));
};

/** The key pairs of a profile, or of all profiles. */
export const listKeys = async (companyId: number, profileId?: string): Promise<KeyRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const [publicHalves, secretHalves] = await Promise.all([listPointers(companyId, 'public_key'), listPointers(companyId, 'secret_key')]);
  const uses = await getLastUses([...publicHalves, ...secretHalves]);
  return publicHalves
    .filter(({ subject }) => profileId === undefined || subject === profileId)
    .flatMap((half) => {
      const other = secretHalves.find(({ id }) => id === half.id);
      if (!other) return [];
      const last = Math.max(uses.get(half.hash) ?? 0, uses.get(other.hash) ?? 0);
      return [toKeyRecord(half, other, last || undefined)];
    });
};

/** Replaces a pair under the same id; the former pair stays valid for `hours` (V3). */
export const rotateKey = async (companyId: number, keyId: string, hours: number = defaultOverlapHours): Promise<IssuedKey | Refused> => {
  const overlap = overlapHours.safeParse(hours);
  if (!overlap.success) return invalid('overlap_hours', ...overlap.error.issues.map(({ message }) => message));
  const attempt = async () => {
    const [company, halves] = await Promise.all([requireCompany(companyId), getKeyPair(companyId, keyId)]);
    if (isProblem(company)) return company;
    if (isProblem(halves)) return halves;
    const [publicHalf, secretHalf] = halves;
    if (publicHalf.status === 'revoked') return problem('conflict', { message: `Key ${keyId} is deactivated; create a new one.` });
    const pair = newPair(modeOf(publicHalf));
    const sealedSecret = await seal(pair.secret_key, credentialSealContext(companyId, 'secret_key', secretHalf.id));
    const overlapMs = overlap.data * hourMs;
    const profile = await getProfileById(companyId, publicHalf.subject ?? '');
    if (!profile) return profileNotFound(companyId, publicHalf.subject ?? '');
    const powers = permissionsUnder(profile);
    const nextPublic = rotateCredential(company, publicHalf, powers, pair.public_key, overlapMs, { publicKey: pair.public_key });
    const nextSecret = rotateCredential(company, secretHalf, powers, pair.secret_key, overlapMs, { sealedSecret });
    const isDone = await commitIfCompanyUnchanged(company, [...nextPublic.parts, ...nextSecret.parts, checkProfilePart(profile)]);
    return isDone ? { key: toKeyRecord(nextPublic.pointer, nextSecret.pointer, undefined), ...pair } : conflict;
  };
  return retryOnConflict<IssuedKey | Refused>(5, attempt, () => problem('conflict'));
};

/** Ends both keys of a pair from the next call on. */
export const deactivateKey = async (companyId: number, keyId: string): Promise<KeyRecord | Problem<'not_found' | 'conflict'>> => {
  const attempt = async () => {
    const halves = await getKeyPair(companyId, keyId);
    if (isProblem(halves)) return halves;
    const [publicHalf, secretHalf] = halves;
    const isRevoked = publicHalf.status === 'revoked' || (await commit([...revokeParts(publicHalf), ...revokeParts(secretHalf)])).done;
    return isRevoked ? toKeyRecord({ ...publicHalf, status: 'revoked' }, secretHalf, undefined) : conflict;
  };
  return retryOnConflict<KeyRecord | Problem<'not_found' | 'conflict'>>(5, attempt, () => problem('conflict'));
};

/** Keys have no API scopes; the verification context decides what they may do. They have a copy of an inactive profile status. */
const permissionsUnder = ({ status, revision = 0 }: VerificationProfile): CredentialPermissions => ({
  role: 'viewer',
  scopes: [],
  subjectRevision: revision,
  ...(status === 'inactive' ? { subjectStatus: status } : {}),
});

function newPair(mode: 'live' | 'test'): GivenPair {
  return mode === 'test'
    ? { public_key: newToken('test_public_key'), secret_key: newToken('test_secret_key') }
    : { public_key: newToken('public_key'), secret_key: newToken('secret_key') };
}

async function getKeyPair(companyId: number, keyId: string): Promise<[Pointer, Pointer] | Problem<'not_found'>> {
  const none = problem('not_found', { message: `There is no key ${keyId} in company ${companyId}.` });
  const publicHalf = (await listPointers(companyId, 'public_key')).find(({ uuid }) => uuid === keyId);
  if (!publicHalf) return none;
  const secretHalf = await getPointer({ companyId, credentialKind: 'secret_key', id: publicHalf.id }, { consistent: true });
  return secretHalf ? [publicHalf, secretHalf] : none;
}

function modeOf(publicHalf: Pointer): 'live' | 'test' {
  return publicHalf.publicKey?.startsWith('pk_test_') ? 'test' : 'live';
}

function toKeyRecord(publicHalf: Pointer, secretHalf: Pointer, lastUsedAt: number | undefined): KeyRecord {
  return {
    id: publicHalf.uuid ?? '',
    profile_id: publicHalf.subject ?? '',
    name: publicHalf.name,
    public_key: publicHalf.publicKey ?? '',
    secret_last4: secretHalf.last4,
    mode: modeOf(publicHalf),
    status: publicHalf.status === 'active' ? 'active' : 'inactive',
    created_at: time(publicHalf.createdAt) ?? '',
    last_used_at: time(lastUsedAt),
    previous_expires_at: time(previousExpiry(publicHalf, now())),
  };
}

function profileNotFound(companyId: number, id: string): Problem<'not_found'> {
  return problem('not_found', { message: `There is no verification profile ${id} in company ${companyId}.` });
}
