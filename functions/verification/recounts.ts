import { notRecounted } from '../../shared/events/recount.ts';
import { codeRateEntity } from './store/code-rate.ts';
import { prefixEntity, proofsEntity } from './store/prefix.ts';

// counts of the last hour or day, of requests that have expired by then
export const recounts = [notRecounted(prefixEntity), notRecounted(proofsEntity), notRecounted(codeRateEntity)];
