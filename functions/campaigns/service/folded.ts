/** The row that changes fold into, for the stream consumer. */
export { statsEntity } from '../store/block.ts';
