import type { MessageMedia } from '../contract/stored.ts';

/** The part of a provider's message that is its content: `{type, [type]: ...}`. */
export type ProviderPayload = { type: string } & Record<string, unknown>;

/** What of a message the provider is sent, apart from recipient and reference, and what of it is kept to be read (A23, A33, A48). */
export interface MessageContent {
  type: number;
  subtype: string;
  value: string;
  /** Undefined: a plain text, whose value is all. */
  payload: ProviderPayload | undefined;
  media: MessageMedia | undefined;
}
/** A payload whose file has been given to the provider: its id takes the place that was left for it. */
export const withMediaId = (payload: ProviderPayload, kind: string, id: string): ProviderPayload => {
  const fill = (holder: unknown): unknown => {
    if (typeof holder !== 'object' || holder === null) return holder;
    const held: unknown = Reflect.get(holder, kind);
    return typeof held === 'object' && held !== null ? { ...holder, [kind]: { ...held, id } } : holder;
  };
  if (payload.type === kind) return fill(payload) as ProviderPayload;
  if (payload.type === 'interactive') {
    const interactive = payload['interactive'] as Record<string, unknown>;
    return { ...payload, interactive: { ...interactive, header: fill(interactive['header']) } };
  }
  return payload;
};
