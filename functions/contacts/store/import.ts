import { all, equals, missing } from '../../../shared/table/condition.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type ChangeOf, entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import {
  importEntityName,
  storedImport,
  type StoredImport,
  storedWaitingImports,
  type StoredWaitingImports,
  waitingImportHours,
} from '../contract/import.ts';

export const importEntity = entity({
  name: importEntityName,
  purpose: 'An import of contacts from a CSV file, with its progress and row counts',
  attributes: storedImport,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#IMPORT`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ createdAt, status }) =>
    Math.floor((createdAt + (status === 'awaiting_upload' ? waitingImportHours * hourMs : storedDays * dayMs)) / 1_000),
  example: { pk: 'C#<company>#IMPORT', sk: '<id, 16 digits>' },
});

const storedDays = 180;

export const waitingImportsEntity = entity({
  name: 'waiting-imports',
  purpose: 'The imports of a company that wait for their start, which are limited',
  attributes: storedWaitingImports,
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#WAITINGIMPORTS`, sk: 'WAITING' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#WAITINGIMPORTS', sk: 'WAITING' },
});

export const getWaitingImports = pattern(
  { question: 'the imports that wait for their start', entity: 'waiting-imports', by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number): Promise<StoredWaitingImports | undefined> => waitingImportsEntity.get({ companyId }, { consistent: true }),
);

/** Writes a new import and the list of waiting ones, if the list is as `seen`. An import of an earlier attempt is returned as it is. */
export const createImportJob = pattern(
  { question: 'a new import', entity: 'contact-import', by: 'TransactWriteItems', units: '4 WRU' },
  async (
    job: StoredImport,
    seen: StoredWaitingImports | undefined,
    createdAt: Record<string, number>,
  ): Promise<StoredImport | 'changed'> => {
    const committed = await commit({
      job: importEntity.putting(job, missing()),
      waiting: waitingImportsEntity.putting(
        { companyId: job.companyId, rev: (seen?.rev ?? 0) + 1, createdAt },
        seen ? equals('rev', seen.rev) : missing(),
      ),
    });
    if (committed.done) return job;
    // the id belongs to this operation alone, so an existing row was written by an earlier attempt
    return committed.refused.job?.current ?? 'changed';
  },
);

/** Starts an import with its uploaded file, if it still waits, and takes it off the list of waiting ones; otherwise its current state. */
export const startImportJob = pattern(
  { question: 'start an import that waits', entity: 'contact-import', by: 'TransactWriteItems', units: '4 WRU, 1 RRU' },
  (job: StoredImport, file: { bytes: number; etag: string }): Promise<StoredImport> =>
    retryOnConflict(16, async () => {
      const seen = await getWaitingImports(job.companyId);
      const { [job.id]: _started, ...createdAt } = seen?.createdAt ?? {};
      const started: StoredImport = { ...job, status: 'queued', ...file };
      const committed = await commit({
        job: importEntity.putting(started, all(equals('slice', job.slice), equals('status', 'awaiting_upload'))),
        waiting: seen && waitingImportsEntity.putting({ ...seen, rev: seen.rev + 1, createdAt }, equals('rev', seen.rev)),
      });
      if (committed.done) return started;
      return committed.refused.job?.current ?? conflict;
    }),
);

export const getImportJob = pattern(
  { question: 'an import by its id', entity: 'contact-import', by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, id: number): Promise<StoredImport | undefined> => importEntity.get({ companyId, id }, { consistent: true }),
);

/** Updates an import that is still at this slice and status; refused with its current state otherwise. */
export const updateImportJob = pattern(
  { question: 'update an import, if its slice and status are unchanged', entity: 'contact-import', by: 'UpdateItem', units: '1 to 4 WRU' },
  ({ companyId, id, slice, status }: StoredImport, change: ChangeOf<typeof importEntity>): Promise<Written<StoredImport>> =>
    importEntity.change({ companyId, id }, change, all(equals('slice', slice), equals('status', status))),
);

export const listImportJobs = pattern(
  { question: 'imports of a company, newest first', entity: 'contact-import', by: 'Query', units: '0.5 RRU per 4 KB (about 4 imports)' },
  (companyId: number, beforeId: number | undefined, wanted: number): Promise<StoredImport[]> => {
    const { pk } = importEntity.key({ companyId, id: 0 });
    const between = [sortable(0), beforeId === undefined ? '~' : sortable(beforeId - 1)] as const;
    return importEntity.collect({ pk, between, descending: true }, { atMost: wanted });
  },
);
