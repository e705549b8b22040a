import type { LocationInput } from '../contract/send.ts';
import { composeLocation } from '../domain/compose-text.ts';
import { sendContent } from './send-content.ts';
import type { OperationContext } from './send-request.ts';

/** Sends a place: now, or at its scheduled time. */
export const sendLocation = (companyId: number, input: LocationInput, operation: OperationContext): ReturnType<typeof sendContent> =>
  sendContent(companyId, input, composeLocation(input), operation);
