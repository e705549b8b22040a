import { now } from '../../../shared/runtime/clock.ts';
import { listEndpoints, updateEndpointSuspension } from '../store/endpoint.ts';

/** No worker gets the lease of an endpoint of this company any more; a run under way ends within seconds. Its deliveries wait. */
export const suspendDeliveries = async (companyId: number): Promise<void> => {
  for (const endpoint of await listEndpoints(companyId)) await updateEndpointSuspension(endpoint, true, now());
};

/** Endpoints are due at once, for the deliveries that waited. */
export const resumeDeliveries = async (companyId: number): Promise<void> => {
  for (const endpoint of await listEndpoints(companyId))
    if (endpoint.isSuspended) await updateEndpointSuspension(endpoint, undefined, now());
};
