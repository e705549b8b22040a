import { inboundReactions } from './reactions/inbound.ts';
import { messageReactions } from './reactions/message.ts';

export const reactions = [...messageReactions, ...inboundReactions];
