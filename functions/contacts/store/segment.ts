import { equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { segmentEntityName, storedSegment, type StoredSegment } from '../contract/stored-segment.ts';

export const segmentEntity = entity({
  name: segmentEntityName,
  purpose: 'A saved filter of contacts; at most 200 a company',
  attributes: storedSegment,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#SEGMENT`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#SEGMENT', sk: '<id, 16 digits>' },
});

export const getSegment = pattern(
  { question: 'a segment by its id', entity: 'segment', by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, id: number): Promise<StoredSegment | undefined> => segmentEntity.get({ companyId, id }, { consistent: true }),
);

/** Sorted by id. */
export const listSegmentRows = pattern(
  { question: 'all segments of a company', entity: 'segment', by: 'Query', units: '0.5 RRU per 4 KB (about 12 segments)' },
  (companyId: number): Promise<StoredSegment[]> => segmentEntity.collect({ pk: segmentEntity.key({ companyId, id: 0 }).pk }),
);

export const createSegmentRow = pattern(
  { question: 'a new segment', entity: 'segment', by: 'PutItem', units: '1 to 2 WRU' },
  async (segment: StoredSegment): Promise<void> => {
    // the id belongs to this operation alone: a row that is there was written by its earlier attempt
    await segmentEntity.put(segment, missing());
  },
);

/** False: it was changed or deleted since it was read. */
export const updateSegmentRow = pattern(
  { question: 'replace a segment that is as it was read', entity: 'segment', by: 'PutItem', units: '1 to 2 WRU' },
  async (seen: StoredSegment, segment: StoredSegment): Promise<boolean> =>
    (await segmentEntity.put({ ...segment, rev: seen.rev + 1 }, equals('rev', seen.rev))).done,
);

export const deleteSegmentRow = pattern(
  { question: 'delete a segment', entity: 'segment', by: 'DeleteItem', units: '1 to 2 WRU' },
  (companyId: number, id: number): Promise<unknown> => segmentEntity.delete({ companyId, id }),
);
