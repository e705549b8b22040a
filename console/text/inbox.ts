import { de } from './de/inbox.ts';
import { en } from './en/inbox.ts';
import { catalogue } from './text.ts';

export const inboxText = catalogue(en, de);
export type InboxText = (typeof inboxText)['en'];
