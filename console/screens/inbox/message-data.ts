import type { Message } from '../../../client/client.ts';

/** What a message's `content` has, in the form of the provider: nothing of it is taken for granted. */
export const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const fileNameOf = ({ media }: Pick<Message, 'media'>): string | undefined => textIn(media?.filename);

/** The words below a file; where there are none, the product stores the name of the file as the text, and the contact sees none. */
export const captionOf = ({ media, value }: Pick<Message, 'media' | 'value'>): string =>
  textIn(media?.caption) ?? (value === media?.filename ? '' : value);
