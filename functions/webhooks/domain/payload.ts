import { createHash } from 'node:crypto';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { ulid } from '../../../shared/runtime/ids.ts';

/** The id of an event: the same each time the same stored change is published, and sorted by time. */
export const eventIdOf = (companyId: number, changeId: string, writtenAtMs: number): string =>
  `evt_${ulid(writtenAtMs, createHash('sha256').update(`${companyId}:${changeId}`).digest().subarray(0, 10))}`;

export interface WebhookPayload {
  id: string;
  event: string;
  companyId: number;
  atMs: number;
  /** Grows with every change of the same record; a text, because it has more digits than a number holds. */
  sequence: string;
  data: Readonly<Record<string, unknown>>;
}

/** The body as it is sent, byte for byte the same on every attempt (decision V32). */
export const payloadBody = ({ id, event, companyId, atMs, sequence, data }: WebhookPayload): string =>
  JSON.stringify({ event, data, timestamp: isoTime(atMs), id, sequence, company_id: companyId, api_version: '1.0' });

export const maxPayloadBytes = 200 * 1_024;
