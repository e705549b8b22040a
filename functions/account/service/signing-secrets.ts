import { now } from '../../../shared/runtime/clock.ts';
import { unseal } from '../../../shared/runtime/seal.ts';
import { type CredentialKind, getPointer, type Pointer } from '../store/credential.ts';

/**
 * The secrets that are valid for signatures of this credential: the shared secret of a receiver (S18; empty if none is set) or the secret key
 * of a pair (V5), and former ones until they expire. One GetItem, 0.5 RRU.
 */
export const getSigningSecrets = async (
  companyId: number,
  kind: Exclude<CredentialKind, 'token' | 'public_key'>,
  credentialId: number,
): Promise<string[]> => {
  return unsealedSecrets(await getPointer({ companyId, credentialKind: kind, id: credentialId }));
};

/** What the posts of a receiver are checked against: its own secrets, or those of the app where a connection owns the receiver. */
export interface ReceiverKeys {
  secrets: string[];
  connectionId: number | undefined;
}

/** One GetItem, 0.5 RRU. */
export const getReceiverKeys = async (companyId: number, credentialId: number): Promise<ReceiverKeys> => {
  const pointer = await getPointer({ companyId, credentialKind: 'webhook_token', id: credentialId });
  if (pointer?.connectionId !== undefined) return { secrets: [], connectionId: pointer.connectionId };
  return { secrets: await unsealedSecrets(pointer), connectionId: undefined };
};

/** Binds a sealed secret to its credential, so that swapping values in the table makes unsealing fail. */
export const credentialSealContext = (companyId: number, kind: CredentialKind, id: number): string =>
  `credential:${companyId}:${kind}:${id}`;

async function unsealedSecrets(pointer: Pointer | undefined): Promise<string[]> {
  if (!pointer) return [];
  const { companyId, credentialKind, id } = pointer;
  const at = now();
  const sealed = [pointer.sealedSecret, ...pointer.previous.filter(({ expiresAt }) => expiresAt > at).map((old) => old.sealedSecret)];
  return Promise.all(
    sealed.filter((each) => each !== undefined).map((each) => unseal(each, credentialSealContext(companyId, credentialKind, id))),
  );
}
