import { catalogue, type TextOf } from './text.ts';

export const inboxText = catalogue({
  en: () => import('./en/inbox.ts'),
  de: () => import('./de/inbox.ts'),
  ar: () => import('./ar/inbox.ts'),
});
export type InboxText = TextOf<typeof inboxText>;
