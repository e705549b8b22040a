import { createHash, createHmac, type BinaryLike } from 'node:crypto';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { type BucketSpec, variableOf } from '../contract/resource.ts';
import { now } from '../runtime/clock.ts';
import { optionalSetting, setting } from '../runtime/env.ts';
import { fetchService } from '../runtime/fetch.ts';
import { log } from '../runtime/log.ts';

/**
 * Objects in buckets by presigned URLs: callers upload and download with them directly, and functions use them with `fetch`. The SDK's S3
 * client would add 250 KB to every bundle for the same three requests; the signer is the SDK's own.
 */
export type ObjectMethod = 'GET' | 'PUT' | 'HEAD' | 'DELETE';

export interface SignedUse {
  seconds: number;
  /** The file name of a download. */
  downloadAs?: string;
  /** As a download without a name, so that no browser renders it as a page of this site. */
  asDownload?: boolean;
  /** Headers that the request must send exactly so, such as the type and length of an upload. */
  headers?: Readonly<Record<string, string>>;
  /** Of the bucket itself: what to list. */
  listing?: Readonly<Record<string, string>>;
}

/**
 * Signed into the URL of an upload: S3 refuses a second file (412), so that none replaces the one that was seen, approved or sent.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export const onlyOnce = { 'if-none-match': '*' } as const;

/**
 * A presigned URL for one method on one object, to give to a caller; the log names the object and the request. It ends with this function's
 * own credentials at the latest.
 */
export const signedUrl = (bucket: BucketSpec, key: string, method: ObjectMethod, use: SignedUse): Promise<string> => {
  log.info('A file URL was signed', { object: key, method });
  return presign(bucket, key, method, use);
};

const presign = async (
  bucket: BucketSpec,
  key: string,
  method: ObjectMethod,
  { seconds, downloadAs, asDownload, headers = {}, listing = {} }: SignedUse,
): Promise<string> => {
  const place = addressOf(bucket, key);
  const disposition = downloadAs === undefined ? (asDownload ? 'attachment' : undefined) : `attachment; filename="${downloadAs}"`;
  const request = await signer().presign(
    {
      method,
      protocol: place.protocol,
      hostname: place.hostname,
      ...(place.port ? { port: Number(place.port) } : {}),
      path: place.pathname,
      query: { ...listing, ...(disposition === undefined ? {} : { 'response-content-disposition': disposition }) },
      headers: { host: place.host, ...headers },
    },
    // the signer leaves out the content type unless it is listed
    { expiresIn: seconds, signingDate: new Date(now()), signableHeaders: new Set(Object.keys(headers)) },
  );
  for (const [name, value] of Object.entries(request.query ?? {})) place.searchParams.set(name, String(value));
  return place.href;
};

export interface ObjectSummary {
  bytes: number;
  etag: string;
}

/** The size and version of an object; undefined when it does not exist. */
export const getObjectSummary = async (bucket: BucketSpec, key: string): Promise<ObjectSummary | undefined> => {
  const answer = await callBucket(bucket, key, 'HEAD');
  if (isMissing(answer)) return undefined;
  return { bytes: Number(answer.headers.get('content-length') ?? 0), etag: answer.headers.get('etag') ?? '' };
};

/** Streams an object from byte `from` on; undefined when it does not exist in this version. Leaving the loop early ends the transfer. */
export const readObject = async (
  bucket: BucketSpec,
  key: string,
  { from = 0, etag }: { from?: number; etag?: string } = {},
): Promise<AsyncIterable<Uint8Array> | undefined> => {
  const answer = await callBucket(bucket, key, 'GET', from > 0 ? { headers: { range: `bytes=${from}-` } } : {});
  const isOther = etag !== undefined && answer.headers.get('etag') !== etag;
  if (isMissing(answer) || isOther) {
    await answer.body?.cancel();
    return undefined;
  }
  if (from > 0 && answer.status !== 206) throw new Error(`The store gave ${answer.status} for a part of an object.`);
  return answer.body ?? noBytes();
};

/** A whole object, for those known to fit into memory; undefined when it does not exist. */
export const wholeObject = async (bucket: BucketSpec, key: string): Promise<Buffer | undefined> => {
  const answer = await callBucket(bucket, key, 'GET');
  if (!isMissing(answer)) return Buffer.from(await answer.arrayBuffer());
  await answer.body?.cancel();
  return undefined;
};

/** Writes a whole object, replacing an existing one. */
export const writeObject = async (bucket: BucketSpec, key: string, body: string | Buffer, contentType: string): Promise<void> => {
  const content = typeof body === 'string' ? body : new Uint8Array(body);
  await callBucket(bucket, key, 'PUT', { body: content, headers: { 'content-type': contentType } });
};

/** Deletes an object; one that does not exist is no error. */
export const deleteObject = async (bucket: BucketSpec, key: string): Promise<void> => {
  await callBucket(bucket, key, 'DELETE');
};

/**
 * The keys of a bucket that begin with a text, in their order, from behind `after` on. For the operator, who has the permission: no function
 * lists a bucket.
 */
export async function* listObjects(bucket: BucketSpec, prefix: string, after = ''): AsyncGenerator<string> {
  let from = after;
  for (;;) {
    const listing = { 'list-type': '2', prefix, ...(from === '' ? {} : { 'start-after': from }) };
    const text = await (await callBucket(bucket, '', 'GET', { listing })).text();
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => decodeURIComponent(key));
    yield* keys;
    const last = keys.at(-1);
    if (last === undefined || !text.includes('<IsTruncated>true')) return;
    from = last;
  }
}

const tries = 4;
/** For one attempt, including the transfer of the body. */
const tryMs = 60_000;

/** Repeats the request when S3 throttles or fails; throws on any other failure. Only a read may find that an object is missing. */
async function callBucket(
  bucket: BucketSpec,
  key: string,
  method: ObjectMethod,
  { listing, ...init }: RequestInit & { listing?: Record<string, string> } = {},
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetchService(await presign(bucket, key, method, { seconds: 300, ...(listing ? { listing } : {}) }), {
      ...init,
      method,
      signal: AbortSignal.timeout(tryMs),
    }).catch((error: unknown) => {
      if (attempt >= tries) throw error;
      return undefined;
    });
    if (answer && (answer.ok || (method !== 'PUT' && isMissing(answer)))) return answer;
    await answer?.body?.cancel();
    const isPassing = answer === undefined || answer.status >= 500 || answer.status === 429;
    if (!isPassing || attempt >= tries) throw new Error(`The store answered ${answer?.status} to ${method}.`);
    await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt * (0.5 + Math.random() / 2)));
  }
}

/** Without permission to list a bucket, S3 answers 403 for an object that does not exist. */
const isMissing = (answer: Response): boolean => answer.status === 404 || answer.status === 403;

/** The local emulator has one host for all buckets; AWS has one for each. */
function addressOf(bucket: BucketSpec, key: string): URL {
  const name = setting(variableOf(bucket));
  const own = optionalSetting('AWS_ENDPOINT_URL_S3') ?? optionalSetting('AWS_ENDPOINT_URL');
  const path = key.split('/').map(encodeURIComponent).join('/');
  return new URL(own ? `${own.replace(/\/$/, '')}/${name}/${path}` : `https://${name}.s3.${setting('AWS_REGION')}.amazonaws.com/${path}`);
}

function signer(): S3RequestPresigner {
  const sessionToken = optionalSetting('AWS_SESSION_TOKEN');
  return new S3RequestPresigner({
    region: setting('AWS_REGION'),
    credentials: {
      accessKeyId: setting('AWS_ACCESS_KEY_ID'),
      secretAccessKey: setting('AWS_SECRET_ACCESS_KEY'),
      ...(sessionToken ? { sessionToken } : {}),
    },
    sha256: Sha256,
  });
}

/** The hash in the form that the signer expects. */
class Sha256 {
  #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;
  readonly #secret: BinaryLike | undefined;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined ? undefined : binary(secret);
    this.#hash = this.#fresh();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(binary(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): ReturnType<typeof createHash> | ReturnType<typeof createHmac> {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function binary(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // an empty object has no body
}
