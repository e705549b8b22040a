import { createHmac } from 'node:crypto';
import * as z from 'zod';

/**
 * Cursors: where the next page starts, opaque to the caller. A checksum binds a cursor to its scope (company, list and filters), so that a
 * cursor of another list is refused. It prevents mistakes only: every read is keyed by the tenant anyway.
 */
export const encodeCursor = (scope: string, position: Record<string, unknown>): string => {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${body}.${checksum(scope, body)}`;
};

/** The position in a cursor; undefined when the cursor belongs to another scope. */
export const decodeCursor = <S extends z.ZodType>(scope: string, cursor: string, schema: S): z.output<S> | undefined => {
  const [body = '', signature = ''] = cursor.split('.');
  if (signature !== checksum(scope, body)) return undefined;
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
