import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { isSealedEvent } from '../contract/catalog.ts';

/** The body of an event at an endpoint, as it is kept: sealed where it says who somebody is, and bound to its place. */
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
