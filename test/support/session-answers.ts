import type { Answer } from './gateway-event.ts';

/** The status of an answer, and the code of its problem. */
export const statusAndCode = ({ status, body }: Answer) => [status, (body as { code?: string }).code];

/** The secret of the session that an answer puts into the browser; empty: none. */
export const sessionSecretIn = ({ headers }: Answer): string => /^__Host-swb_session=([^;]*);/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';

/** The session that an answer shows. */
export const sessionIn = ({ body }: Answer): { id: number; expires_at: string } =>
  (body as { data: { id: number; expires_at: string } }).data;
