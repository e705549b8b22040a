/** For the stream consumer, which folds into it. */
export { proofsEntity } from '../store/prefix.ts';
