import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { optionalSetting, setting } from './env.ts';

export interface UnsignedCall {
  service: string;
  url: URL;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
  at: Date;
}

/**
 * The headers of a POST that this function's role signs, for a service of which one call is not worth the 28 KB of its client:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export const signedHeaders = ({ service, url, headers, body, at }: UnsignedCall): Record<string, string> => {
  const sessionToken = optionalSetting('AWS_SESSION_TOKEN');
  const credentials = {
    accessKeyId: setting('AWS_ACCESS_KEY_ID'),
    secretAccessKey: setting('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken ? { sessionToken } : {}),
  };
  const given = { ...headers, host: url.host };
  const { host: _, ...sent } = signatureHeaders({
    service,
    region: setting('AWS_REGION'),
    credentials,
    path: url.pathname,
    headers: given,
    body,
    at,
  });
  return sent;
};

export interface Signing {
  service: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined };
  path: string;
  /** Lower-case names, with the host. */
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  at: Date;
}

/** The headers of a POST with its signature among them. */
export const signatureHeaders = ({ service, region, credentials, path, headers, body, at }: Signing): Record<string, string> => {
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const all: Record<string, string> = {
    ...headers,
    'x-amz-date': stamp,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const names = Object.keys(all)
    .filter((name) => !unsigned.has(name))
    .toSorted();
  const list = names.join(';');
  const canonical = ['POST', path, '', ...names.map((name) => `${name}:${all[name]?.trim()}`), '', list, hash('sha256', body)];
  const scope = [stamp.slice(0, 8), region, service, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), hash('sha256', canonical.join('\n'))].join('\n');
  const signature = createHmac('sha256', signingKey(secretAccessKey, scope)).update(toSign).digest('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  all['authorization'] = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${list}, Signature=${signature}`;
  return all;
};

/** Proxies may change these: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const unsigned: ReadonlySet<string> = new Set(['connection', 'user-agent', 'x-amzn-trace-id']);

/** A key is good for a day, a region and a service: of each service the last one stays. */
function signingKey(secretAccessKey: string, scope: readonly string[]): KeyObject {
  const service = scope[2] ?? '';
  const of = [secretAccessKey, ...scope].join('\n');
  const known = signingKeys.get(service);
  if (known?.of === of) return known.key;
  const bytes = scope.reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const key = createSecretKey(Buffer.from(bytes));
  signingKeys.set(service, { of, key });
  return key;
}
const signingKeys = new Map<string, { of: string; key: KeyObject }>();
