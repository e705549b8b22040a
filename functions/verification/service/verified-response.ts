import type * as z from 'zod';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { verifiedBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { deriveTrustKey, unsealValue } from './secrets.ts';

/** The response body of a verified request, with its trust key. */
export const toVerifiedResponse = async (request: StoredRequest): Promise<z.output<typeof verifiedBody> & { trust_key: string }> => {
  const [identifier, trustKey] = await Promise.all([
    unsealValue(request.id, 'identifier', request.sealedIdentifier),
    deriveTrustKey(request.profileId, request.id, request.identifierHash),
  ]);
  return {
    verified: true,
    trust_key: trustKey,
    request_id: request.id,
    identifier,
    channel: request.channel,
    verified_at: isoTime(request.endedAt ?? 0),
  };
};
