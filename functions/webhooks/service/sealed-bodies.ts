import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { isSealedEvent } from '../contract/catalog.ts';

/** The stored body of an event for an endpoint: sealed when the event identifies a user, and bound to its place. */
interface BodyLocation {
  companyId: number;
  endpointId: number;
  eventId: string;
  event: string;
}

export const sealBody = async (place: BodyLocation, body: string): Promise<string> =>
  isSealedEvent(place.event) ? seal(body, sealingContext(place)) : body;

export const unsealBody = async (place: BodyLocation & { body: string }): Promise<string> =>
  isSealedEvent(place.event) ? unseal(place.body, sealingContext(place)) : place.body;

function sealingContext({ companyId, endpointId, eventId }: BodyLocation): string {
  return `webhook-body:${companyId}:${endpointId}:${eventId}`;
}
