import { optionalSetting } from './env.ts';

/**
 * How long a call of an SDK client may take: by default it has no limit, so a connection that was lost while the function was frozen, or a lost
 * packet, would hang until Lambda ends the invocation. The SDK repeats a call that took too long; writes to the table can be repeated
 * (docs/decisions/conditional-write-tokens.md). An emulator on a busy machine is slower than AWS.
 */
export const withTimeouts = (requestTimeoutMs = 3_000, { reusesConnections = true } = {}) => {
  const longestMs = isEmulated() ? 10 * requestTimeoutMs : requestTimeoutMs;
  const agent = { keepAlive: reusesConnections };
  return {
    requestHandler: {
      // waiting for a free connection is a part of it, and long on a laptop (lib/local/sparing-agent.mjs)
      connectionTimeout: isEmulated() ? longestMs : 1_000,
      // until the answer begins, then between its parts
      requestTimeout: longestMs,
      throwOnRequestTimeout: true,
      socketTimeout: longestMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
};

const isEmulated = (): boolean => optionalSetting('AWS_ENDPOINT_URL_SQS') !== undefined;
