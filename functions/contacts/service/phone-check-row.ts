/** The row that evidence folds into, for the stream consumer. */
export { reachabilityEntity } from '../store/reachability.ts';
