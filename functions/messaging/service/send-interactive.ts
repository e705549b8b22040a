import { isPublicLink } from '../../media/service/links.ts';
import type { InteractiveInput } from '../contract/send-interactive.ts';
import { composeInteractive } from '../domain/compose-interactive.ts';
import { sendContent } from './send-content.ts';
import type { OperationContext } from './send-request.ts';

/** Sends a message with something to do in it, of any kind: now, or at its scheduled time. */
export const sendInteractive = (companyId: number, input: InteractiveInput, operation: OperationContext): ReturnType<typeof sendContent> =>
  sendContent(companyId, input, composeInteractive(input, { flowToken: operation.operationId, isPublic: isPublicLink }), operation);
