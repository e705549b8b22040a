import type { StartedSession } from '../../client/client.ts';
import { api } from './client.ts';

/** Browsers bind no passkey to an address in digits. */
const isNamed = !/^([\d.]+|\[.*\])$/.test(location.hostname);

/** Whether this browser can make passkeys for this page and sign with them. */
export const hasPasskeys = isNamed && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** The same page under the name of this machine; undefined: it has a name already. */
export const namedAddress = isNamed ? undefined : `http://localhost:${location.port}/console/settings/sessions`;

/** Has the browser make a passkey, and adds it to the user's own. Rejects where the user stops it. */
export const addPasskey = async (): Promise<void> => {
  const { data } = await api.createPasskeyOptions();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data.public_key as unknown as PublicKeyCredentialCreationOptionsJSON);
  await api.createPasskey({ body: { credential: jsonOf(await navigator.credentials.create({ publicKey })) } });
};

/** Signs in with a passkey that the user chooses. Rejects where the user stops it. */
export const signInWithPasskey = async (): Promise<StartedSession> => {
  const { data } = await api.createPasskeySignIn();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.public_key as unknown as PublicKeyCredentialRequestOptionsJSON);
  return (await api.signInWithPasskey({ body: { credential: jsonOf(await navigator.credentials.get({ publicKey })) } })).data;
};

function jsonOf<T>(credential: Credential | null): T {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.');
  return credential.toJSON() as T;
}

/** Whether the user stopped it, or waited too long: no error to show. */
export const isStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotAllowedError';
