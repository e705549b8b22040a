import { classifyProviderError } from '../../../shared/provider/errors.ts';
import type { ProviderResult } from '../domain/provider-result.ts';
import { callProvider, type SendingNumber } from '../../../shared/provider/call.ts';

/** Uploads a file to the provider. An upload sends nothing to a recipient, so a lost response is not ambiguous: the upload is repeated. */
export const uploadMedia = async (
  number: SendingNumber,
  file: { bytes: Buffer; mime: string; filename: string },
): Promise<{ outcome: 'uploaded'; id: string } | Extract<ProviderResult, { outcome: 'refused' | 'unsent' }>> => {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', file.mime);
  form.set('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>], { type: file.mime }), file.filename);
  const reply = await callProvider(number, { method: 'POST', path: [number.phoneNumberId, 'media'], form, timeoutMs: 15_000 });
  if (reply.outcome !== 'answered') return { outcome: 'unsent' };
  const id: unknown = (reply.body as { id?: unknown } | null | undefined)?.id;
  if (reply.status < 300 && typeof id === 'string' && id !== '') return { outcome: 'uploaded', id };
  const error = classifyProviderError(reply.body);
  return error ? { outcome: 'refused', ...error } : { outcome: 'unsent' };
};
