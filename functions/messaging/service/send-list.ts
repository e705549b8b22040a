import type { ListInput } from '../contract/send.ts';
import { composeList } from '../domain/compose-text.ts';
import { sendContent } from './send-content.ts';
import type { OperationContext } from './send-request.ts';

/** Sends a list to choose from: now, or at its scheduled time. */
export const sendList = (companyId: number, input: ListInput, operation: OperationContext): ReturnType<typeof sendContent> =>
  sendContent(companyId, input, composeList(input), operation);

/** The deprecated GET form: the same fields in the query. */
export const sendListByGet: typeof sendList = (companyId, query, operation) => sendList(companyId, query, operation);
