import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What a request has read from the table, in read units as DynamoDB reports them for queries and batches. Walks through long lists stop by
 * it, and the company's minute is charged with it (decision G12). Outside of a request nothing is counted.
 */
const scope = new AsyncLocalStorage<{ units: number }>();

export const countingReadUnits = <T>(work: () => T): T => scope.run({ units: 0 }, work);

/** Read units of the current request so far. */
export const readUnits = (): number => scope.getStore()?.units ?? 0;

/** Goes into a read's input: the report of its units costs nothing. */
export const unitsReported = (): { ReturnConsumedCapacity?: 'TOTAL' } => (scope.getStore() ? { ReturnConsumedCapacity: 'TOTAL' } : {});

type Capacity = { CapacityUnits?: number | undefined };

export const addReadUnits = (consumed: Capacity | readonly Capacity[] | undefined): void => {
  const request = scope.getStore();
  if (!request || consumed === undefined) return;
  for (const { CapacityUnits = 0 } of [consumed].flat()) request.units += CapacityUnits;
};
