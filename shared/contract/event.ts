import * as z from 'zod';
import { timestamp } from './fields.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { BusSpec } from './resource.ts';

/** A domain event on the bus: past tense, versioned by its schema growing only. */
export interface EventSpec<S extends z.ZodType = z.ZodType> {
  name: string;
  detail: S;
  /** When it happens, in a few words, for the list of events: `A contact sent a message`. */
  purpose: string;
  /** What a receiver of the event should know, for the API reference. */
  description?: string;
  /** `data` as webhook endpoints receive it, where it says more than `detail`: personal data travels on no queue and no bus. */
  webhookData?: z.ZodType;
  /** What the event log has of `data`, where it is not `detail`. */
  logData?: z.ZodType;
  /** How it stands in the company's event log (functions/events); undefined, or without it: it does not. */
  log?: (detail: z.output<S>) => (Pick<LoggedEvent, 'subject' | 'by'> & Partial<Pick<LoggedEvent, 'data'>>) | undefined;
}

export const event = <S extends z.ZodType>(spec: EventSpec<S>): EventSpec<S> => spec;

/** The fields that the bodies of all events have, named once in the API reference. */
const eventFields = {
  timestamp: timestamp.meta({ id: 'EventTimestamp', description: 'When it happened.' }),
  id: z.string().meta({ id: 'EventId', description: 'The id of the event, as in the header webhook-id. The same for every attempt.' }),
  sequence: z.string().meta({ id: 'EventSequence', description: 'Among events of the same record, the greater one is the later.' }),
  company_id: z.int().meta({ id: 'EventCompany', description: 'The company it happened in.' }),
  api_version: z.literal('1.0').meta({ id: 'EventVersion', description: 'The version of the API.' }),
};

/** The body of an event at a webhook endpoint, named after the event. */
export const webhookBodyOf = ({ name, detail, webhookData }: EventSpec) =>
  z
    .object({
      event: z.literal(name).meta({ description: 'The name of the event.' }),
      data: (webhookData ?? detail).meta({ description: 'What happened.' }),
      ...eventFields,
    })
    .meta({ id: eventName(name) });

/** `MessageReceivedEvent` for `message.received`. */
export const eventName = (name: string): string =>
  `${name.replaceAll(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The one bus of the product. */
export const domainBus: BusSpec = { kind: 'bus', name: 'domain' };

/** The `source` of every event on it. */
export const eventSource = 'switchboard';
