import { createHash, createHmac } from 'node:crypto';
import type { BucketSpec } from '../../../shared/contract/resource.ts';
import { variableOf } from '../../../shared/contract/resource.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { optionalSetting, setting } from '../../../shared/runtime/env.ts';

/**
 * Objects of a bucket through signed addresses (AWS Signature Version 4, query form), for others to use and for ourselves: the SDK's
 * client would add some 250 KB to functions that only put and get single objects.
 */
export interface SignedRequest {
  method: 'GET' | 'PUT' | 'HEAD';
  key: string;
  expiresSeconds: number;
  /** Sent with the request, and signed: the upload can be nothing else. */
  headers?: Readonly<Record<string, string>>;
  /** More query parameters, such as `response-content-type`. */
  query?: Readonly<Record<string, string>>;
}

/** The address of one request on one object, good until it expires. */
export const signedAddress = (bucket: BucketSpec, request: SignedRequest): string =>
  presigned(objectAddress(setting(variableOf(bucket)), request.key), request, credentials(), now());

export const putObject = async (bucket: BucketSpec, key: string, bytes: Buffer, contentType: string): Promise<void> => {
  const headers = { 'content-type': contentType };
  const response = await fetch(signedAddress(bucket, { method: 'PUT', key, expiresSeconds: 60, headers }), {
    method: 'PUT',
    headers,
    body: new Uint8Array(bytes),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`The bucket refused an object: ${response.status}.`);
};

/** The whole object; undefined when there is none. */
export const getObject = async (bucket: BucketSpec, key: string): Promise<Buffer | undefined> => {
  const response = await fetch(signedAddress(bucket, { method: 'GET', key, expiresSeconds: 60 }), { signal: AbortSignal.timeout(20_000) });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`The bucket refused to give an object: ${response.status}.`);
  return Buffer.from(await response.arrayBuffer());
};

/** Bytes of an object; undefined when there is none. (A bucket that may not be listed says 403 of what it does not have.) */
export const objectSize = async (bucket: BucketSpec, key: string): Promise<number | undefined> => {
  const response = await fetch(signedAddress(bucket, { method: 'HEAD', key, expiresSeconds: 60 }), {
    method: 'HEAD',
    signal: AbortSignal.timeout(5_000),
  });
  if (response.status === 404 || response.status === 403) return undefined;
  if (!response.ok) throw new Error(`The bucket refused to tell of an object: ${response.status}.`);
  return Number(response.headers.get('content-length') ?? 0);
};

export interface Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

/** Exported for its test against the service's published example. */
export const presigned = (
  address: URL,
  request: SignedRequest,
  { region, accessKeyId, secretAccessKey, sessionToken }: Credentials,
  nowMs: number,
): string => {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { ...request.headers, host: address.host };
  const names = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .toSorted();
  const query = Object.entries({
    ...request.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(request.expiresSeconds),
    ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': names.join(';'),
  })
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const headerLines = names.map((name) => `${name}:${(headers as Record<string, string>)[name]?.trim() ?? ''}\n`).join('');
  const canonical = [request.method, address.pathname, query, headerLines, names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(
    (held, part) => createHmac('sha256', held).update(part).digest(),
    createHmac('sha256', `AWS4${secretAccessKey}`).update(stamp.slice(0, 8)).digest(),
  );
  return `${address.origin}${address.pathname}?${query}&X-Amz-Signature=${createHmac('sha256', key).update(toSign).digest('hex')}`;
};

/** A bucket has a host of its own at AWS; the laptop's emulator has one host for all. */
function objectAddress(bucket: string, key: string): URL {
  const endpoint = optionalSetting('AWS_ENDPOINT_URL_S3') ?? optionalSetting('AWS_ENDPOINT_URL');
  const path = key.split('/').map(encoded).join('/');
  return new URL(
    endpoint ? `${endpoint.replace(/\/+$/, '')}/${bucket}/${path}` : `https://${bucket}.s3.${setting('AWS_REGION')}.amazonaws.com/${path}`,
  );
}

/** The role's credentials, as Lambda gives them to every function. */
const credentials = (): Credentials => ({
  region: setting('AWS_REGION'),
  accessKeyId: setting('AWS_ACCESS_KEY_ID'),
  secretAccessKey: setting('AWS_SECRET_ACCESS_KEY'),
  sessionToken: optionalSetting('AWS_SESSION_TOKEN'),
});

const encoded = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
