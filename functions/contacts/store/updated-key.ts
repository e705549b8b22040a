import { tenant } from '../../../shared/table/schema.ts';

/**
 * Keys of the index that sorts contacts by last change. 8 partitions per company: 2,000 changes a second cause about 500 WRU/s on each
 * (a changed index key costs two writes). See docs/decisions/contacts-by-update-time.md.
 */
export const updatedShards = 8;

export const updatedKey = (companyId: number, shard: number, isDeleted: boolean): string =>
  `${tenant(companyId)}#${isDeleted ? 'UD' : 'U'}${shard}`;

export interface UpdatedPlace {
  /** Epoch milliseconds. */
  at: number;
  id: number;
}

/**
 * Short, because every contact has it: base 36, 8 digits of time (until 2059) and at least 4 of id, which only separates changes of the same
 * millisecond.
 */
export const updatedPlace = ({ at, id }: UpdatedPlace): string => `${at.toString(36).padStart(8, '0')}${id.toString(36).padStart(4, '0')}`;
