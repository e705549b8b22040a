/**
 * Replaces the SDK's chain of credential providers in every bundle (lib/bundle.ts). In Lambda the role's credentials are in the
 * environment, where the chain looks first; the rest of it (SSO, profiles, instance metadata) never runs and costs 330 KB. The local runner
 * sets the same variables.
 */
export const defaultProvider = () => (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    return Promise.reject(new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: bundles take credentials from them alone.'));
  }
  return Promise.resolve({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  });
};

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}
