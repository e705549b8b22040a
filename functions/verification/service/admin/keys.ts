import { isProblem, type Problem } from '../../../../shared/contract/problems.ts';
import type { KeyRecord } from '../../../account/contract.ts';
import { deactivateKey, issueKey, type KeyInput, listKeys, rotateKey } from '../../../account/service/verification-profiles.ts';
import { getVerificationProfile } from './profiles.ts';

type KeyProblem = Problem<'not_found' | 'validation_failed' | 'conflict'>;
/** A key with its secret half, which is shown once. */
export type KeyWithSecret = KeyRecord & { secret_key: string };

export const listVerificationKeys = async (companyId: number, profileId: string): Promise<KeyRecord[] | Problem<'not_found'>> => {
  const profile = await getVerificationProfile(companyId, profileId);
  return isProblem(profile) ? profile : listKeys(companyId, profileId);
};

export const createVerificationKey = async (companyId: number, profileId: string, input: KeyInput): Promise<KeyWithSecret | KeyProblem> => {
  const issued = await issueKey(companyId, profileId, input);
  return isProblem(issued) ? issued : { ...issued.key, secret_key: issued.secret_key };
};

/** Replaces both halves under the same id; the old ones stay valid for the overlap. */
export const rotateVerificationKey = async (
  companyId: number,
  id: string,
  overlapHours: number | undefined,
): Promise<KeyWithSecret | KeyProblem> => {
  const issued = await rotateKey(companyId, id, overlapHours);
  return isProblem(issued) ? issued : { ...issued.key, secret_key: issued.secret_key };
};

/** Invalidates both halves of a key from the next call on. */
export const deactivateVerificationKey = (companyId: number, id: string): ReturnType<typeof deactivateKey> => deactivateKey(companyId, id);
