import { optionalSetting } from './env.ts';
import { httpHandler, type SdkHttpHandler } from './http-handler.ts';

/**
 * How long a call of an SDK client may take: by default it has no limit, so a connection that was lost while the function was frozen, or a lost
 * packet, would hang until Lambda ends the invocation. The SDK repeats a call that took too long; writes to the table can be repeated
 * (docs/decisions/conditional-write-tokens.md). An emulator on a busy machine is slower than AWS.
 */
export const withTimeouts = (requestTimeoutMs = 3_000, { reusesConnections = true } = {}): { requestHandler: SdkHttpHandler } => ({
  requestHandler: httpHandler({
    connectionTimeoutMs: isEmulated() ? 10_000 : 1_000,
    requestTimeoutMs: isEmulated() ? 10 * requestTimeoutMs : requestTimeoutMs,
    reusesConnections,
  }),
});

const isEmulated = (): boolean => optionalSetting('AWS_ENDPOINT_URL_SQS') !== undefined;
