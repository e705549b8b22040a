/** The rows that changes fold into, for the stream consumer. */
export { failuresEntity, statsEntity } from '../store/recipient-batch.ts';
