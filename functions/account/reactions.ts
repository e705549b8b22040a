import * as z from 'zod';
import { project, reaction, reactionList } from '../../shared/events/react.ts';
import { type AuditedEntity, auditedKinds, auditTarget } from './contract/audit.ts';
import { auditDrafts, type AuditedImage } from './domain/audit.ts';

/** The attributes of an audited item, as the table has them: which of them an entry shows is the domain's. */
const image = z.record(z.string(), z.unknown());

const toPlace = (writtenAt: number, changeId: string, nth: number): string => `${String(writtenAt).padStart(15, '0')}#${changeId}#${nth}`;

/** Every change of the account becomes an audit entry, exactly once, however often the stream delivers it. */
export const reactions = reactionList(
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
