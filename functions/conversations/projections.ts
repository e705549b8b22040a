import { conversationEntity } from './store/conversation.ts';
import { inboxDayEntity } from './store/inbox-day.ts';

export const projections = [conversationEntity, inboxDayEntity];
