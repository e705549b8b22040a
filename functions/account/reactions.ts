import * as z from 'zod';
import { actorOf } from '../../shared/contract/logged-event.ts';
import { emitEvent, logEvent, project, reaction, reactionList } from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { accountChanged, type AuditedEntity, auditedKinds, auditPlace, auditTarget } from './contract/audit.ts';
import { numberKind, type StoredNumberState } from './contract/number-state.ts';
import { numberUpdated } from './contract/number-view.ts';
import { toNumberState } from './domain/number-state.ts';
import { auditDrafts, type AuditedImage } from './domain/audit.ts';

/** The attributes of an audited item, as the table has them: which of them an entry shows is the domain's. */
const image = z.record(z.string(), z.unknown());

/** What endpoints are notified of: not the settings of the company itself, which the audit log has. */
const stateOf = (number: StoredNumberState): string => JSON.stringify([number.status, toNumberState(number)]);

const numberChanges = reaction<StoredNumberState>(numberKind, ({ before, after }) => {
  if (!before || !after || stateOf(before) === stateOf(after)) return [];
  const { companyId, id, phone, status } = after;
  return [emitEvent(numberUpdated, companyId, { number_id: id, phone, status, ...toNumberState(after), at: isoTime(after.updatedAt) })];
});

/** Every change of the account becomes an audit entry, exactly once, however often the stream delivers it. */
const auditEntries = reactionList(
  { sendsTo: [] },
  (Object.keys(auditedKinds) as AuditedEntity[]).map((name) =>
    reaction<AuditedImage>({ name, parse: (raw) => image.parse(raw) }, ({ before, after, writtenAt, changeId }) =>
      auditDrafts(name, before, after).flatMap((draft, nth) => {
        const place = auditPlace(writtenAt, changeId, nth);
        const entry = project(auditTarget, { companyId: draft.companyId, place }, (row) => row ?? { ...draft, place, at: writtenAt });
        const { companyId, action: type, targetKind, id, changes, by } = draft;
        const data = { fields: Object.keys(changes) };
        return [entry, logEvent(accountChanged, companyId, { type, subject: `${targetKind}:${id}`, data, by: actorOf(by) })];
      }),
    ),
  ),
);

export const reactions = [...auditEntries, ...reactionList({ sendsTo: [] }, [numberChanges])];
