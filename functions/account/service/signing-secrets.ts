import { now } from '../../../shared/runtime/clock.ts';
import { unseal } from '../../../shared/runtime/seal.ts';
import { type CredentialKind, getPointer } from '../store/credential.ts';

/**
 * The secrets a signed call of this credential may be signed with: a receiver's shared secret (S18; none set: empty), a verification
 * key's secret half (V5), the one before a rotation while it lives. `credentialId` is the caller's. One GetItem, 0.5 RRU.
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

/** Binds a sealed secret to its credential, so that values cannot be swapped in the table. */
export const credentialSealContext = (companyId: number, kind: CredentialKind, id: number): string =>
  `credential:${companyId}:${kind}:${id}`;
