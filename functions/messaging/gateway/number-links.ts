import * as z from 'zod';
import { callProvider, type ProviderRequest, type SendingNumber } from '../../../shared/provider/call.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { readReply } from '../domain/setup-reply.ts';

/** A link as the provider has it. https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/qr-codes */
const providerLink = z.looseObject({
  code: z.string(),
  prefilled_message: z.string(),
  deep_link_url: z.string(),
  qr_image_url: z.string().optional(),
});
export type ProviderLink = z.output<typeof providerLink>;

const linkPage = z
  .looseObject({
    data: z.array(providerLink),
    paging: z.looseObject({ cursors: z.looseObject({ after: z.string().optional() }).optional(), next: z.string().optional() }).optional(),
  })
  .transform(({ data, paging }) => ({ links: data, after: paging?.next === undefined ? undefined : paging.cursors?.after }));
const changed = z.looseObject({ success: z.boolean().optional() });

export const listLinks = (
  number: SendingNumber,
  after: string | undefined,
): Promise<SetupReply<{ links: ProviderLink[]; after: string | undefined }>> =>
  call(number, { method: 'GET', query: { fields, limit: '100', ...(after === undefined ? {} : { after }) } }, [], linkPage);

export const createLink = (number: SendingNumber, message: string, format: 'PNG' | 'SVG'): Promise<SetupReply<ProviderLink>> =>
  call(number, { method: 'POST', body: { prefilled_message: message, generate_qr_image: format } }, [], providerLink);

export const updateLink = (number: SendingNumber, code: string, message: string): Promise<SetupReply<ProviderLink>> =>
  call(number, { method: 'POST', body: { code, prefilled_message: message } }, [], providerLink);

export const deleteLink = (number: SendingNumber, code: string): Promise<SetupReply<z.output<typeof changed>>> =>
  call(number, { method: 'DELETE' }, [code], changed);

const fields = 'code,prefilled_message,deep_link_url,qr_image_url.format(PNG)';

async function call<T>(
  number: SendingNumber,
  request: Pick<ProviderRequest, 'method' | 'query' | 'body'>,
  rest: readonly string[],
  schema: z.ZodType<T>,
): Promise<SetupReply<T>> {
  return readReply(
    await callProvider(number, { ...request, path: [number.phoneNumberId, 'message_qrdls', ...rest], timeoutMs: 10_000 }),
    schema,
  );
}
