import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { LocationInput } from '../contract/send.ts';
import { composeLocation } from '../domain/compose-text.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { checkWindow, loadSendRequest, type OperationContext, resolveRecipient, type SendProblem } from './send-request.ts';

/** Sends a place: now, or at its scheduled time. */
export const sendLocation = async (
  companyId: number,
  input: LocationInput,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const request = await loadSendRequest(companyId, input, operation);
  if (isProblem(request)) return request;
  const recipient = await resolveRecipient(request);
  if (isProblem(recipient)) return recipient;
  const closed = await checkWindow(recipient);
  return closed ?? createAndSend(recipient, { content: composeLocation(input), priority: 'direct' }, operation);
};
