import { conversationEntity } from './store/conversation.ts';

export const projections = [conversationEntity];
