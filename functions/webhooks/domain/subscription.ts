import { choiceCovers } from '../contract/catalog.ts';

/** The events to which an endpoint subscribes, as the stream consumer reads them. */
export interface Subscription {
  id: number;
  events: readonly string[];
  /** Only this verification profile's. */
  profileId?: string | undefined;
  status: 'active' | 'disabled';
  /** Since when, epoch milliseconds: older changes are not published to it. */
  since: number;
}

/** Changes are timed to the second, and clocks differ a little: better one event from before than one too few. */
const leewayMs = 2_000;

/** The ids of the endpoints that subscribe to an event. */
export const subscribedEndpointIds = (
  subscriptions: readonly Subscription[],
  event: string,
  data: Readonly<Record<string, unknown>>,
  writtenAtMs: number,
): number[] =>
  subscriptions
    .filter(
      ({ status, events, profileId, since }) =>
        status === 'active' &&
        writtenAtMs + leewayMs >= since &&
        events.some((choice) => choiceCovers(choice, event)) &&
        (profileId === undefined || !event.startsWith('verification.') || data['profile_id'] === profileId),
    )
    .map(({ id }) => id);
