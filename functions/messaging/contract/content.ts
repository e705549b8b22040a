import type { StoredMedia } from '../../media/contract/stored.ts';

/** The part of a provider's message that is its content: `{type, [type]: ...}`. */
export type ProviderPayload = { type: string } & Record<string, unknown>;

/** The content of a message: what the provider is sent, without recipient and reference, and what conversations show. */
export interface MessageContent {
  type: number;
  subtype: string;
  value: string;
  /** Undefined: a plain text, which `value` holds. */
  payload: ProviderPayload | undefined;
  media: StoredMedia | undefined;
}
