import type * as z from 'zod';

/** Who caused an event. */
export interface EventActor {
  kind: 'user' | 'token' | 'operator' | 'provider' | 'customer' | 'system';
  userId?: number | undefined;
  credentialId?: number | undefined;
}

/** An event of a company's log: what happened, to which record, by whom. It holds ids, no personal data. */
export interface LoggedEvent {
  type: string;
  /** `conversation:12`: the record, as a page names what it shows. */
  subject: string;
  data: Readonly<Record<string, unknown>>;
  by: EventActor;
}

/** Of a change that a request made, by the actor that the item stores. */
export const actorOf = (by: { via: string; userId?: number | undefined; credentialId?: number | undefined } | undefined): EventActor => {
  if (!by || by.via === 'system') return { kind: 'system' };
  if (by.via === 'command_line') return { kind: 'operator' };
  const { userId, credentialId } = by;
  return userId === undefined ? { kind: 'token', credentialId } : { kind: 'user', userId, credentialId };
};

/** An event that stands in the log alone, where pages and programs follow it; endpoints do not get it. */
export interface FeedEvent<S extends z.ZodType = z.ZodType> {
  /** One, or all that have the same data. */
  types: readonly [string, ...string[]];
  /** Of several types: what they are together, as a type is written. */
  name?: string;
  /** When it happens, in a few words. */
  purpose: string;
  data: S;
}

export const feedEvent = <S extends z.ZodType>(spec: FeedEvent<S>): FeedEvent<S> => spec;
