import { type Consequence, addToCounter, message, reaction, reactionList } from '../../../shared/events/react.ts';
import { importEntityName, importsQueue, storedImport, type StoredImport } from '../contract/import.ts';

/** Enqueues the next slice of a started import. The row is the source of truth, so a crash loses no slice. */
export const importReactions = reactionList({ sendsTo: [importsQueue] }, [
  reaction<StoredImport>({ name: importEntityName, parse: (raw) => storedImport.parse(raw) }, ({ before, after }) => {
    const consequences: Consequence[] = [];
    const companyId = (after ?? before)?.companyId ?? 0;
    const by = Number(after !== undefined) - Number(before !== undefined);
    if (by !== 0) consequences.push(addToCounter(companyId, importEntityName, by));
    if (after !== undefined && hasWork(after) && !(before && hasWork(before) && before.slice === after.slice))
      consequences.push(message(importsQueue, companyId, { company_id: companyId, import_id: after.id, slice: after.slice }));
    return consequences;
  }),
]);

const hasWork = ({ status }: StoredImport): boolean => status === 'queued' || status === 'running';
