import { seal, unseal } from '../../../shared/runtime/seal.ts';

/**
 * Where a body is stored. Sealed bodies (V32) are bound to their place. A body is sealed when its data is more than what the event had on the
 * queue and on the bus, because personal data is on neither.
 */
interface BodyLocation {
  companyId: number;
  endpointId: number;
  eventId: string;
}

export const sealBody = (place: BodyLocation, body: string): Promise<string> => seal(body, sealingContext(place));

/** A body in clear is a JSON object; a sealed one has no brace. */
export const unsealBody = async (place: BodyLocation & { body: string }): Promise<string> =>
  place.body.startsWith('{') ? place.body : unseal(place.body, sealingContext(place));

function sealingContext({ companyId, endpointId, eventId }: BodyLocation): string {
  return `webhook-body:${companyId}:${endpointId}:${eventId}`;
}
