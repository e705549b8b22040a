import {
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';

/** What the table refuses when it has too much to do, or when another writer holds an item. */
const refusals = [
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
];

/** Whether the same call may succeed later; the SDK has repeated it before. A connection that timed out bears the name that the SDK knows. */
export const isTableBusy = (error: unknown): boolean =>
  refusals.some((refusal) => error instanceof refusal) || (error instanceof Error && error.name === 'TimeoutError');
