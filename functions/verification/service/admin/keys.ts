import { isProblem, type Problem } from '../../../../shared/contract/problems.ts';
import type { Principal } from '../../../../shared/contract/route.ts';
import type { KeyRecord } from '../../../account/contract/record.ts';
import { deactivateKey, issueKey, type KeyInput, listKeys, rotateKey } from '../../../account/service/verification-profiles.ts';
import { widerProblem } from '../../../account/service/minting.ts';
import { getVerificationProfile } from './profiles.ts';

type KeyProblem = Problem<'not_found' | 'validation_failed' | 'conflict' | 'insufficient_scope' | 'ip_not_allowed'>;
type Maker = Pick<Principal, 'companyId' | 'scopes' | 'networks'>;

/** A key requests verifications, from everywhere. */
const widerThanKey = (caller: Maker) => widerProblem(caller, ['verification:request'], undefined);
/** A key with its secret half, which is shown once. */
export type KeyWithSecret = KeyRecord & { secret_key: string };

export const listVerificationKeys = async (companyId: number, profileId: string): Promise<KeyRecord[] | Problem<'not_found'>> => {
  const profile = await getVerificationProfile(companyId, profileId);
  return isProblem(profile) ? profile : listKeys(companyId, profileId);
};

export const createVerificationKey = async (caller: Maker, profileId: string, input: KeyInput): Promise<KeyWithSecret | KeyProblem> => {
  const wider = widerThanKey(caller);
  if (wider) return wider;
  const issued = await issueKey(caller.companyId, profileId, input);
  return isProblem(issued) ? issued : { ...issued.key, secret_key: issued.secret_key };
};

/** Replaces both halves under the same id; the old ones stay valid for the overlap. */
export const rotateVerificationKey = async (
  caller: Maker,
  id: string,
  overlapHours: number | undefined,
): Promise<KeyWithSecret | KeyProblem> => {
  const wider = widerThanKey(caller);
  if (wider) return wider;
  const issued = await rotateKey(caller.companyId, id, overlapHours);
  return isProblem(issued) ? issued : { ...issued.key, secret_key: issued.secret_key };
};

/** Invalidates both halves of a key from the next call on. */
export const deactivateVerificationKey = (companyId: number, id: string): ReturnType<typeof deactivateKey> => deactivateKey(companyId, id);
