import { getRequest } from '../store/request.ts';
import { unsealValue } from './secrets.ts';

/** The identifier of a verification request, for the delivery of its events; undefined when the request no longer exists. 1 RRU. */
export const getRequestIdentifier = async (companyId: number, requestId: string): Promise<string | undefined> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  return request && unsealValue(request.id, 'identifier', request.sealedIdentifier);
};
