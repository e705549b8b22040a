import { createHmac } from 'node:crypto';
import * as z from 'zod';

/**
 * Cursors: where the next page starts, opaque to the caller. The scope (company, list and filters) is bound in by a checksum, so a
 * cursor of another list, company or filter is refused as not ours. It guards against mistakes; every read is keyed by the tenant
 * anyway.
 */
export const encodeCursor = (scope: string, position: Record<string, unknown>): string => {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${body}.${checksum(scope, body)}`;
};

/** The position in a cursor; undefined when it is not one of this scope. */
export const decodeCursor = <S extends z.ZodType>(scope: string, cursor: string, schema: S): z.output<S> | undefined => {
  const [body = '', mark = ''] = cursor.split('.');
  if (mark !== checksum(scope, body)) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};

function checksum(scope: string, body: string): string {
  return createHmac('sha256', `cursor:${scope}`).update(body).digest('base64url').slice(0, 12);
}
