import { messageTypes } from '../contract/stored.ts';
import type { InboundMessage } from '../contract/webhook.ts';

export interface Reading {
  type: number;
  subtype: string;
  value: string;
  raw: string | undefined;
}

/** The message's code, kind and text (decision A33). Kinds not taken apart yet keep the provider's payload whole. */
export const readInbound = (message: InboundMessage): Reading =>
  message.type === 'text' && message.text
    ? { type: messageTypes.text, subtype: 'text', value: message.text.body, raw: undefined }
    : { type: messageTypes.text, subtype: message.type, value: '', raw: JSON.stringify(message) };
