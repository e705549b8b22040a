import { inboundReactions } from './inbound.ts';
import { messageReactions } from './message.ts';
import { reachabilityReactions } from './reachability.ts';
import { usageReactions } from './usage.ts';

export const reactions = [...messageReactions, ...inboundReactions, ...reachabilityReactions, ...usageReactions];
