import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Handler } from '../../../shared/http/serve.ts';
import { withEarlyRead } from '../service/early-read.ts';

/** A request's id as /verify and /resend have it in the body, and /status in the path. Without it a call takes its usual way. */
const inBody = /"request_id"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/i;
const inPath = /\/status\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const maxBodyLength = 4_096;

/** The handler, whose calls about a request begin to read it while their key is checked. */
export const readingEarly = (handler: Handler): Handler => {
  const read = (...[event, context]: Parameters<Handler>): ReturnType<Handler> => {
    const [secret, requestId] = [keyOf(event), requestIdOf(event)];
    if (secret === undefined || requestId === undefined) return handler(event, context);
    return withEarlyRead(secret, requestId, () => handler(event, context));
  };
  return Object.assign(read, { stages: handler.stages });
};

/** A key that stands elsewhere (in the query, as a bearer) is checked without a read beside it. */
const keyOf = ({ headers }: APIGatewayProxyEventV2): string | undefined => headers['x-secret-key'] ?? headers['x-public-key'];

function requestIdOf({ rawPath, body, isBase64Encoded }: APIGatewayProxyEventV2): string | undefined {
  if (!/\/(verify|resend)$/.test(rawPath)) return inPath.exec(rawPath)?.[1]?.toLowerCase();
  if (body === undefined || body.length > maxBodyLength) return undefined;
  return inBody.exec(isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body)?.[1]?.toLowerCase();
}
