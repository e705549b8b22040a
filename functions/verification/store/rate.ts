import * as z from 'zod';
import { countInWindow, windowEndSeconds, windowField } from '../../../shared/access/window.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { callsPerMinute } from '../domain/limits.ts';

export const rateEntity = entity({
  name: 'verification-rate',
  purpose: 'Calls a minute of a credential for one request or one source address',
  attributes: z.looseObject({ companyId: z.int(), credentialId: z.int(), subject: z.string(), until: z.int() }),
  key: ({ companyId, credentialId, subject }: RateId) => ({ pk: `${tenant(companyId)}#V#RATE#${credentialId}#${subject}`, sk: 'RATE' }),
  idOf: ({ companyId, credentialId, subject }) => ({ companyId, credentialId, subject }),
  expiresAt: ({ until }) => until,
  personalData: 'address of a caller',
  endsBy: 'expiry, within two hours',
  example: { pk: 'C#<company>#V#RATE#<credential>#<address or request>', sk: 'RATE' },
});
export interface RateId {
  companyId: number;
  credentialId: number;
  /** A request id, or the network of a source address. */
  subject: string;
}

/** Counts a call and returns the calls of this minute; undefined beyond the limit. */
export const reserveCall = pattern(
  { question: 'reserve a call for a request or address', entity: 'verification-rate', by: 'UpdateItem', units: '1 WRU' },
  async (id: RateId, at: number): Promise<number | undefined> => {
    const count = countInWindow('calls', callsPerMinute, at);
    const until = windowEndSeconds(at) + 3_600;
    const written = await rateEntity.change(
      id,
      { ...count.change, set: { ...id, kind: rateEntity.name, until, ttl: until } },
      count.condition,
    );
    return written.done ? Number(written.item[windowField('calls', at)] ?? 1) : undefined;
  },
);
