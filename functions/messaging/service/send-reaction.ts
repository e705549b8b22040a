import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { ReactionInput } from '../contract/send.ts';
import { composeReaction } from '../domain/compose-text.ts';
import { createAndSend, type SendOutcome } from './create-outbound.ts';
import { checkWindow, loadSendRequest, type OperationContext, resolveRecipient, type SendProblem, wamidOf } from './send-request.ts';

/** Puts an emoji on a message of the conversation, or takes it back. */
export const sendReaction = async (
  companyId: number,
  { message_id: name, emoji, ...options }: ReactionInput,
  operation: OperationContext,
): Promise<SendOutcome | SendProblem | Problem<'window_closed'>> => {
  const request = await loadSendRequest(companyId, options, operation);
  if (isProblem(request)) return request;
  const wamid = await wamidOf(companyId, request.contactId, 'message_id', name);
  if (isProblem(wamid)) return wamid;
  if (wamid === undefined) return invalid('message_id', 'Required.');
  const recipient = await resolveRecipient({ ...request, contextWamid: wamid });
  if (isProblem(recipient)) return recipient;
  const closed = await checkWindow(recipient);
  return closed ?? createAndSend(recipient, { content: composeReaction(wamid, emoji), priority: 'direct' }, operation);
};
