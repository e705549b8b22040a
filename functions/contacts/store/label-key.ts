import { sortable, tenant } from '../../../shared/table/schema.ts';

/**
 * Groups and tags of a company share a partition: groups newest first, then tags oldest first. A page of contacts mostly names the first
 * groups and tags, which are neighbours in the middle, so one short query reads them.
 * See docs/decisions/groups-and-tags.md.
 */
export const labelsKey = (companyId: number): string => `${tenant(companyId)}#LABEL`;

export const groupPlace = (id: number): string => `G#${sortable(Number.MAX_SAFE_INTEGER - id)}`;

export const tagPlace = (id: number): string => `T#${sortable(id)}`;

/** How many groups or tags of about 150 bytes fit into 4 KB, the unit of a read. */
export const labelsPer4Kb = 25;
