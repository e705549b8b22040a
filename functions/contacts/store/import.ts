import { all, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ChangeOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { importEntityName, storedImport, type StoredImport } from '../contract/import.ts';

export const importEntity = entity({
  name: importEntityName,
  purpose: 'An import of contacts from a CSV file, with its progress and row counts',
  attributes: storedImport,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#IMPORT`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ createdAt }) => Math.floor((createdAt + storedDays * dayMs) / 1_000),
  example: { pk: 'C#<company>#IMPORT', sk: '<id, 16 digits>' },
});

const storedDays = 180;

export const createImportJob = pattern(
  { question: 'a new import', entity: 'contact-import', by: 'PutItem', units: '1 WRU' },
  async (job: StoredImport): Promise<StoredImport> => {
    const written = await importEntity.put(job, missing());
    // the id belongs to this operation alone, so an existing row was written by an earlier attempt
    const row = written.done ? written.item : written.current;
    if (!row) throw new Error('An import id was assigned twice.');
    return row;
  },
);

export const getImportJob = pattern(
  { question: 'an import by its id', entity: 'contact-import', by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, id: number): Promise<StoredImport | undefined> => importEntity.get({ companyId, id }, { consistent: true }),
);

/** Updates an import that is still at this slice and status; otherwise returns its current state. */
export const updateImportJob = pattern(
  { question: 'update an import, if its slice and status are unchanged', entity: 'contact-import', by: 'UpdateItem', units: '1 to 4 WRU' },
  async (seen: StoredImport, change: ChangeOf<typeof importEntity>): Promise<{ done: boolean; current: StoredImport | undefined }> => {
    const written = await importEntity.change(
      { companyId: seen.companyId, id: seen.id },
      change,
      all(equals('slice', seen.slice), equals('status', seen.status)),
    );
    return { done: written.done, current: written.done ? written.item : written.current };
  },
);

export const listImportJobs = pattern(
  { question: 'imports of a company, newest first', entity: 'contact-import', by: 'Query', units: '0.5 RRU per 4 KB (about 4 imports)' },
  (companyId: number, beforeId: number | undefined, wanted: number): Promise<StoredImport[]> => {
    const { pk } = importEntity.key({ companyId, id: 0 });
    const between = [sortable(0), beforeId === undefined ? '~' : sortable(beforeId - 1)] as const;
    return importEntity.collect({ pk, between, descending: true }, { atMost: wanted });
  },
);
