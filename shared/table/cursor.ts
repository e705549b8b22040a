import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { cursorKey } from '../contract/secret.ts';
import { derivedKey, isOneOf, keysOf, readKeyRing } from '../runtime/seal.ts';

/**
 * Cursors: where the next page starts, opaque to the caller. The signature covers the scope (company, list and filters), so that a cursor
 * of another list is refused, and its key is a secret, so that a caller cannot make one and choose where a list starts.
 */
export const encodeCursor = async (scope: string, position: object): Promise<string> => {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${body}.${signature((await readKeyRing(cursorKey)).key, scope, body)}`;
};

/** The position in a cursor; undefined when the cursor is of another scope, or none of ours. */
export const decodeCursor = async <S extends z.ZodType>(scope: string, cursor: string, schema: S): Promise<z.output<S> | undefined> => {
  const [body = '', given = '', ...rest] = cursor.split('.');
  const signatures = keysOf(await readKeyRing(cursorKey)).map((each) => signature(each, scope, body));
  if (rest.length > 0 || !isOneOf(signatures, given)) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};

function signature(key: string, scope: string, body: string): string {
  return createHmac('sha256', derivedKey(key, 'cursor')).update(`${scope}\n${body}`).digest('base64url').slice(0, 16);
}
