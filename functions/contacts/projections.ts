import { countsEntity, digestEntity } from './store/digest.ts';
import { groupEntity } from './store/group.ts';
import { membersEntity } from './store/members.ts';

/** The rows that changes of contacts fold into, for the stream consumer. */
export const contactProjections = [digestEntity, countsEntity, membersEntity, groupEntity] as const;
