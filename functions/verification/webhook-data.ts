import * as z from 'zod';
import type { EventData, WebhookData } from '../../shared/contract/webhook-data.ts';
import { getRequestIdentifier } from './service/identifiers.ts';

export const webhookData: readonly WebhookData[] = [
  {
    of: ['verification.requested', 'verification.successful', 'verification.failed'],
    read: withIdentifier,
  },
];

async function withIdentifier(companyId: number, event: string, data: EventData): Promise<EventData | undefined> {
  const { request_id, ...rest } = ofRequest.parse(data);
  const identifier = await getRequestIdentifier(companyId, request_id);
  if (identifier === undefined && event === 'verification.requested') return undefined;
  return { request_id, identifier: identifier ?? null, ...rest };
}

const ofRequest = z.looseObject({ request_id: z.string() });
