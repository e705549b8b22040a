import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { withTimeouts } from './aws-client.ts';
import { processValue } from './memory.ts';

const client = processValue(() => new SecretsManagerClient({ maxAttempts: 4, ...withTimeouts() }));

/** The text of a secret. Throws when it is refused, or fails four times. */
export const getSecretValue = async (secretId: string): Promise<string> => {
  const { SecretString: text } = await client().send(new GetSecretValueCommand({ SecretId: secretId }));
  if (text === undefined) throw new Error(`The secret ${secretId} has no SecretString.`);
  return text;
};
