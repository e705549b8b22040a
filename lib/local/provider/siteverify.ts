/** Stands in for a CAPTCHA service's server-side check: answers that begin with "pass" are right, every other is wrong. */
import type { Answer } from './answer.ts';

/** `POST /siteverify` with `secret`, `response` and `remoteip`, as a form or as JSON; always 200, as the real services do. */
export function siteVerify(method: string, contentType: string, raw: Buffer): Answer {
  if (method !== 'POST') return { status: 405, body: { success: false, 'error-codes': ['bad-request'] } };
  const fields = readFields(contentType, raw.toString());
  const errors = [
    ...(fields.secret ? [] : ['missing-input-secret']),
    ...(fields.response ? (fields.response.startsWith('pass') ? [] : ['invalid-input-response']) : ['missing-input-response']),
  ];
  if (errors.length > 0) return { status: 200, body: { success: false, 'error-codes': errors } };
  const body = {
    success: true,
    challenge_ts: new Date().toISOString(),
    hostname: 'localhost',
    'error-codes': [],
    action: '',
    cdata: '',
    score: 0.9,
  };
  return { status: 200, body };
}

function readFields(contentType: string, text: string): { secret: string; response: string } {
  const form = new URLSearchParams(contentType.includes('json') ? '' : text);
  let json: unknown;
  try {
    json = contentType.includes('json') ? JSON.parse(text) : undefined;
  } catch {
    json = undefined;
  }
  const read = (key: string): string => {
    const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, key) : form.get(key);
    return typeof value === 'string' ? value : '';
  };
  return { secret: read('secret'), response: read('response') };
}
