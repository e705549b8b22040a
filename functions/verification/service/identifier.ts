import { findRequest } from '../store/request.ts';
import { openFor } from './secrets.ts';

/** Whom a verification is about, opened: for whoever tells the company of it (V32). Events and queues name the request alone. 0.5 RRU. */
export const identifierOf = async (companyId: number, requestId: string): Promise<string | undefined> => {
  const request = await findRequest(companyId, requestId);
  return request && openFor(request.id, 'identifier', request.sealedIdentifier);
};
