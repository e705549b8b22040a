import * as z from 'zod';
import { emitEvent, project, reaction, reactionList } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { type AuditedEntity, auditedKinds, auditTarget } from './contract/audit.ts';
import { numberEntityName, storedNumberState, type StoredNumberState } from './contract/number-state.ts';
import { numberUpdated } from './contract/number-view.ts';
import { toNumberState } from './domain/number-state.ts';
import { auditDrafts, type AuditedImage } from './domain/audit.ts';

/** The attributes of an audited item, as the table has them: which of them an entry shows is the domain's. */
const image = z.record(z.string(), z.unknown());

const toPlace = (writtenAt: number, changeId: string, nth: number): string => `${String(writtenAt).padStart(15, '0')}#${changeId}#${nth}`;

/** What endpoints are notified of: not the settings of the company itself, which the audit log has. */
const stateOf = ({ status, quality, messagingLimit, accountState, restrictions }: StoredNumberState): string =>
  JSON.stringify([status, quality, messagingLimit, accountState, restrictions ?? []]);

const numberChanges = reaction<StoredNumberState>(
  { name: numberEntityName, parse: (raw) => storedNumberState.parse(raw) },
  ({ before, after }) => {
    if (!before || !after || stateOf(before) === stateOf(after)) return [];
    const { companyId, id, phone, status } = after;
    return [emitEvent(numberUpdated, companyId, { number_id: id, phone, status, ...toNumberState(after), at: isoTime(after.updatedAt) })];
  },
);

/** Every change of the account becomes an audit entry, exactly once, however often the stream delivers it. */
const auditEntries = reactionList(
  { sendsTo: [] },
  (Object.keys(auditedKinds) as AuditedEntity[]).map((name) =>
    reaction<AuditedImage>({ name, parse: (raw) => image.parse(raw) }, ({ before, after, writtenAt, changeId }) =>
      auditDrafts(name, before, after).map((draft, nth) => {
        const place = toPlace(writtenAt, changeId, nth);
        return project(auditTarget, { companyId: draft.companyId, place }, (row) => row ?? { ...draft, place, at: writtenAt });
      }),
    ),
  ),
);

export const reactions = [...auditEntries, ...reactionList({ sendsTo: [] }, [numberChanges])];
