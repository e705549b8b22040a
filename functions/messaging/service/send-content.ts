import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Composition } from '../domain/compose-text.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import {
  checkWindow,
  invalidFields,
  loadSendRequest,
  type OperationContext,
  resolveRecipient,
  type SendOptions,
  type SendProblem,
} from './send-request.ts';

/** Sends a message without a file, whatever its kind: now, or at its scheduled time. */
export const sendContent = async (
  companyId: number,
  options: SendOptions,
  composition: Composition,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const request = await loadSendRequest(companyId, options, operation);
  if (isProblem(request)) return request;
  if (!composition.ok) return invalidFields(composition.errors);
  const recipient = await resolveRecipient(request);
  if (isProblem(recipient)) return recipient;
  const closed = await checkWindow(recipient);
  return closed ?? createAndSend(recipient, { content: composition.message, priority: 'direct' }, operation);
};
