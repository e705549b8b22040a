import * as z from 'zod';
import { maySubscribe } from './service/doorbell.ts';

/** https://docs.aws.amazon.com/appsync/latest/eventapi/configure-event-api-auth.html */
const request = z.object({
  authorizationToken: z.string(),
  requestContext: z.object({ operation: z.string(), channel: z.string().nullish() }),
});

/**
 * Called by AppSync Events for each connection and each subscription. Its answer is not cached: cached by its token, that of a connection would stand for
 * a subscription to any channel.
 */
export const handler = async (event: unknown): Promise<{ isAuthorized: boolean; ttlOverride: 0 }> => {
  const { authorizationToken, requestContext } = request.parse(event);
  return { isAuthorized: await isAllowed(authorizationToken, requestContext), ttlOverride: 0 };
};

/** Pages publish nothing. A subscription without a channel would be one to no company's. */
async function isAllowed(token: string, { operation, channel }: z.output<typeof request>['requestContext']): Promise<boolean> {
  if (operation === 'EVENT_CONNECT') return maySubscribe(token, undefined);
  return operation === 'EVENT_SUBSCRIBE' && maySubscribe(token, channel ?? '');
}
