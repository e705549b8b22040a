import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { ListInput } from '../contract/send.ts';
import { composeList } from '../domain/compose-text.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { checkWindow, invalidFields, loadSendRequest, type OperationContext, resolveRecipient, type SendProblem } from './send-request.ts';

/** Sends a list to choose from: now, or at its scheduled time. */
export const sendList = async (
  companyId: number,
  input: ListInput,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const request = await loadSendRequest(companyId, input, operation);
  if (isProblem(request)) return request;
  const composition = composeList(input);
  if (!composition.ok) return invalidFields(composition.errors);
  const recipient = await resolveRecipient(request);
  if (isProblem(recipient)) return recipient;
  const closed = await checkWindow(recipient);
  if (closed) return closed;
  return createAndSend(recipient, { content: composition.message, priority: 'direct' }, operation);
};

/** The deprecated GET form: the same fields in the query. */
export const sendListByGet: typeof sendList = (companyId, query, operation) => sendList(companyId, query, operation);
