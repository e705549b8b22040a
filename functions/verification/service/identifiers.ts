import { getRequest } from '../store/request.ts';
import { unsealValue } from './secrets.ts';

/** Whom a verification is about, for whoever delivers its events; undefined once it is gone. 1 RRU. */
export const getRequestIdentifier = async (companyId: number, requestId: string): Promise<string | undefined> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  return request && unsealValue(request.id, 'identifier', request.sealedIdentifier);
};
