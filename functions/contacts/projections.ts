import { consentChangeEntity } from './store/consent.ts';
import { countsEntity, digestEntity } from './store/digest.ts';
import { groupEntity } from './store/group.ts';
import { membersEntity } from './store/members.ts';
import { reachabilityEntity } from './store/reachability.ts';

/** The projections of contacts and of the evidence about their phones, for the stream consumer. */
export const projections = [consentChangeEntity, digestEntity, countsEntity, membersEntity, groupEntity, reachabilityEntity];
