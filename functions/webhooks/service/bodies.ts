import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { isPrivate } from '../contract/catalog.ts';

/** The body of an event at an endpoint, as it is kept: sealed where it says who somebody is, and bound to its place. */
interface Place {
  companyId: number;
  endpointId: number;
  eventId: string;
  event: string;
}

export const closedBody = async (place: Place, body: string): Promise<string> => (isPrivate(place.event) ? seal(body, about(place)) : body);

export const openBody = async (place: Place & { body: string }): Promise<string> =>
  isPrivate(place.event) ? unseal(place.body, about(place)) : place.body;

function about({ companyId, endpointId, eventId }: Place): string {
  return `webhook-body:${companyId}:${endpointId}:${eventId}`;
}
