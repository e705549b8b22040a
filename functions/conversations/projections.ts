import { conversationEntity } from './store.ts';

export const projections = [conversationEntity];
