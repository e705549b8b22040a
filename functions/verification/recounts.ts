import { notRecounted } from '../../shared/events/recount.ts';
import { proofsEntity } from './store/prefix.ts';

// counts of the last hour, of requests that have expired by then
export const recounts = [notRecounted(proofsEntity)];
