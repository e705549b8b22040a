import { sortable, tenant } from '../../../shared/table/schema.ts';

/**
 * Groups and tags of a company lie in one partition: groups newest first, then tags oldest first. What a page of contacts names is mostly
 * among the first groups and the first tags, which lie side by side in the middle, and is one short query.
 */
export const labelsKey = (companyId: number): string => `${tenant(companyId)}#LABEL`;

export const groupPlace = (id: number): string => `G#${sortable(Number.MAX_SAFE_INTEGER - id)}`;

export const tagPlace = (id: number): string => `T#${sortable(id)}`;

/** Groups and tags have about 150 bytes: 4 KB, the unit of a read. */
export const labelsPer4Kb = 25;
