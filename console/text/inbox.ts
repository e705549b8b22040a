import { catalogue, type TextOf } from './text.ts';

export const inboxText = catalogue({
  en: async () => (await import('./en/inbox.ts')).en,
  de: async () => (await import('./de/inbox.ts')).de,
  ar: async () => (await import('./ar/inbox.ts')).ar,
});
export type InboxText = TextOf<typeof inboxText>;
