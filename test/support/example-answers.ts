import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from './gateway-event.ts';
import { refusalByDocument } from './document-schemas.ts';

/**
 * The example of each operation's answer in openapi.json is an answer that the product gave: to the samples of the reference on a fresh demo, and
 * where a reader of the demo cannot make the call, to the contract tests. With RECORD_ANSWERS=1 these write those that are missing or that the document
 * would refuse by now:
 *
 *     RECORD_ANSWERS=1 npx vitest run test/client/samples.test.ts test/contract/answers.test.ts && npm run generate
 */
const file = join(import.meta.dirname, '../../lib/generate/example-answers.json');
type Recorded = Record<string, { status: number; body: unknown }>;
export const exampleAnswers = (): Recorded => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : {});

export function recordAnswer(name: string, { status, headers, body, raw }: Answer): void {
  if (process.env['RECORD_ANSWERS'] !== '1' || status > 299 || headers['content-type'] !== 'application/json') return;
  // this document itself
  if (raw.length > 100_000) return;
  const recorded = exampleAnswers();
  const present = recorded[name];
  if (present && refusalByDocument(name, present.status, present.body) === undefined) return;
  recorded[name] = { status, body: shown(body) };
  const sorted = Object.fromEntries(Object.entries(recorded).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 1)}\n`);
}

/** Of a list its first entry, of a long text its beginning; no credential, though those of a test open nothing. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shown);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]));
  if (typeof value !== 'string') return value;
  const text = value.replaceAll(/\b(swb|erp|whk|pk|sk|whsec)_[A-Za-z0-9+/=_-]{8,}/g, '$1_...');
  return text.length > 240 ? `${text.slice(0, 240)}...` : text;
}
