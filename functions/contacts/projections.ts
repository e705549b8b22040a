import { countsEntity, digestEntity } from './store/digest.ts';
import { groupEntity } from './store/group.ts';
import { membersEntity } from './store/members.ts';
import { reachabilityEntity } from './store/reachability.ts';

export const projections = [digestEntity, countsEntity, membersEntity, groupEntity, reachabilityEntity];
