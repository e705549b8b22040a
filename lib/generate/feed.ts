import * as z from 'zod';
import type { Context } from '../../shared/contract/context.ts';
import { eventName } from '../../shared/contract/event.ts';
import type { FeedEvent } from '../../shared/contract/logged-event.ts';
import { jsonSchemaOf } from './json-schema.ts';

type Json = Record<string, unknown>;

/** All that stands in the event log: the events of endpoints that are logged, and what is logged alone. */
export const feedOf = (contexts: readonly Context[]): FeedEvent[] =>
  contexts.flatMap(({ events = [], logged = [] }) => [
    ...events.flatMap(({ name, purpose, log, logData, detail }): FeedEvent[] =>
      log ? [{ types: [name], purpose, data: logData ?? detail }] : [],
    ),
    ...logged,
  ]);

/** Of a type that two contexts log, one event with the data of either. */
function withoutTwins(feed: readonly FeedEvent[]): FeedEvent[] {
  const all = feed.flatMap(({ types }) => types);
  const twins = new Set(all.filter((type, at) => all.indexOf(type) !== at));
  const apart = feed.flatMap((each): FeedEvent[] => {
    const [first, ...others] = each.types.filter((type) => !twins.has(type));
    return first === undefined ? [] : [{ ...each, types: [first, ...others] }];
  });
  const together = [...twins].map((type): FeedEvent => {
    const same = feed.filter(({ types }) => types.includes(type));
    return { types: [type], purpose: same.map(({ purpose }) => purpose).join('; or: '), data: z.union(same.map(({ data }) => data)) };
  });
  return [...apart, ...together];
}

/** `LoggedMessageFailed` for `message.failed`. */
export const feedEventName = ({ name, types }: FeedEvent): string => `Logged${eventName(name ?? types[0]).replace(/Event$/, '')}`;

/**
 * The schemas of the feed's events by their names, and `Event` as one of them by its type. The log itself stores the data of any type: so the
 * function that reads it needs no schema of other contexts.
 */
export const feedSchemas = (contexts: readonly Context[], event: Json, tidy: (schema: Json) => void): Json => {
  const feed = withoutTwins(feedOf(contexts)).map((each) => ({ ...each, name: feedEventName(each) }));
  const properties = event['properties'] as Json;
  const variants = feed.map(({ name, types, purpose, data }): [string, Json] => [
    name,
    {
      ...event,
      description: `${purpose}.`,
      properties: {
        ...properties,
        type: { type: 'string', ...(types.length === 1 ? { const: types[0] } : { enum: types }), description: 'What happened.' },
        data: { description: 'Ids and states of the record.', ...tidied(jsonSchemaOf(data, 'output'), tidy) },
      },
    },
  ]);
  const reference = (name: string): string => `#/components/schemas/${name}`;
  const mapping = Object.fromEntries(feed.flatMap(({ name, types }) => types.map((type) => [type, reference(name)])));
  return {
    ...Object.fromEntries(variants),
    Event: {
      description: event['description'],
      oneOf: feed.map(({ name }) => ({ $ref: reference(name) })),
      discriminator: { propertyName: 'type', mapping },
    },
  };
};

function tidied(schema: Json, tidy: (schema: Json) => void): Json {
  delete schema['$schema'];
  tidy(schema);
  for (const each of Object.values(schema))
    if (Array.isArray(each)) for (const part of each) tidyPart(part, tidy);
    else tidyPart(each, tidy);
  return schema;
}

const tidyPart = (part: unknown, tidy: (schema: Json) => void): void => {
  if (typeof part === 'object' && part !== null && !Array.isArray(part)) tidied(part as Json, tidy);
};
