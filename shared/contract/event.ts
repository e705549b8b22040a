import type * as z from 'zod';
import type { BusSpec } from './resource.ts';

/** A domain event on the bus: past tense, versioned by its schema growing only. */
export interface EventSpec<S extends z.ZodType = z.ZodType> {
  name: string;
  detail: S;
  purpose: string;
}

export const event = <S extends z.ZodType>(spec: EventSpec<S>): EventSpec<S> => spec;

/** The one bus of the product. */
export const domainBus: BusSpec = { kind: 'bus', name: 'domain' };

/** The `source` of every event on it. */
export const eventSource = 'switchboard';
