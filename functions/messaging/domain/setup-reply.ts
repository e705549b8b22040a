import * as z from 'zod';
import type { ProviderReply } from '../../../shared/provider/call.ts';
import { versionHeader } from '../../../shared/provider/versions.ts';
import type { SetupReply } from './number-setup.ts';

const refusal = z.looseObject({
  error: z.looseObject({ code: z.int(), error_subcode: z.int().optional(), message: z.string().optional() }),
});

/** The value of an answer that has the form of the schema, or what came in its place. */
export function readReply<T>(reply: ProviderReply, schema: z.ZodType<T>): SetupReply<T> {
  if (reply.outcome !== 'answered') return { outcome: 'unreachable' };
  const { status, body } = reply;
  if (status < 300) {
    const parsed = schema.safeParse(body);
    if (!parsed.success) return { outcome: 'unreadable', status };
    const served = reply.headers[versionHeader];
    return { outcome: 'answered', value: parsed.data, ...(typeof served === 'string' ? { served } : {}) };
  }
  const refused = refusal.safeParse(body);
  if (!refused.success) return { outcome: 'unreadable', status };
  return { outcome: 'refused', status, code: refused.data.error.code, subcode: refused.data.error.error_subcode };
}
