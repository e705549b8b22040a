import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { isSealedEvent } from '../contract/catalog.ts';

/** The stored body of an event for an endpoint: sealed when the event holds a customer's data (V32), and bound to its place. */
interface BodyLocation {
  companyId: number;
  endpointId: number;
  eventId: string;
  event: string;
}

export const sealBody = async (place: BodyLocation, body: string): Promise<string> =>
  isSealedEvent(place.event) ? seal(body, sealingContext(place)) : body;

/** Bodies that an earlier version stored before their event was sealed are plain JSON. */
export const unsealBody = async (place: BodyLocation & { body: string }): Promise<string> =>
  isSealedEvent(place.event) && !place.body.startsWith('{') ? unseal(place.body, sealingContext(place)) : place.body;

function sealingContext({ companyId, endpointId, eventId }: BodyLocation): string {
  return `webhook-body:${companyId}:${endpointId}:${eventId}`;
}
