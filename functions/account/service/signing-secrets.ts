import { now } from '../../../shared/runtime/clock.ts';
import { unseal } from '../../../shared/runtime/seal.ts';
import { type CredentialKind, getPointer } from '../store/credential.ts';

/**
 * The secrets that are valid for signatures of this credential: the shared secret of a receiver (S18; empty if none is set) or the secret key
 * of a pair (V5), and former ones until they expire. One GetItem, 0.5 RRU.
 */
export const getSigningSecrets = async (
  companyId: number,
  kind: Exclude<CredentialKind, 'token' | 'public_key'>,
  credentialId: number,
): Promise<string[]> => {
  const pointer = await getPointer({ companyId, credentialKind: kind, id: credentialId });
  if (!pointer) return [];
  const at = now();
  const sealed = [pointer.sealedSecret, ...pointer.previous.filter(({ expiresAt }) => expiresAt > at).map((old) => old.sealedSecret)];
  return Promise.all(
    sealed.filter((each) => each !== undefined).map((each) => unseal(each, credentialSealContext(companyId, kind, credentialId))),
  );
};

/** Binds a sealed secret to its credential, so that swapping values in the table makes unsealing fail. */
export const credentialSealContext = (companyId: number, kind: CredentialKind, id: number): string =>
  `credential:${companyId}:${kind}:${id}`;
