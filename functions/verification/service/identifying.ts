import { findRequest } from '../store/request.ts';
import { openFor } from './secrets.ts';

/** Whom a verification is about, for whoever delivers its events; undefined once it is gone. 1 RRU. */
export const identifierOf = async (companyId: number, requestId: string): Promise<string | undefined> => {
  const request = await findRequest(companyId, requestId, { consistent: true });
  return request && openFor(request.id, 'identifier', request.sealedIdentifier);
};
