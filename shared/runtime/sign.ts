import { createHash, createHmac } from 'node:crypto';
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
  const region = setting('AWS_REGION');
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const sessionToken = optionalSetting('AWS_SESSION_TOKEN');
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': stamp,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const names = Object.keys(all).toSorted();
  const canonical = ['POST', url.pathname, '', ...names.map((name) => `${name}:${all[name]?.trim()}`), '', names.join(';'), sha256(body)];
  const scope = [stamp.slice(0, 8), region, service, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(canonical.join('\n'))].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${setting('AWS_SECRET_ACCESS_KEY')}`);
  const credential = `${setting('AWS_ACCESS_KEY_ID')}/${scope.join('/')}`;
  const signature = hmac(key, toSign).toString('hex');
  const { host: _, ...sent } = all;
  return { ...sent, authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}` };
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
