import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const uploadBody = z.object({
  filename: text(240, 1).meta({ example: 'catalogue.pdf' }),
  content_type: text(200, 1).meta({ description: 'What the file is; the upload must say the same', example: 'application/pdf' }),
  size: wholeNumber(1, 100 * 1024 * 1024).meta({ description: 'Bytes' }),
});
export type UploadInput = z.output<typeof uploadBody>;

export const uploadView = z
  .object({
    media_id: z.string().meta({ description: 'For media_id of POST /messages/text, once the file is there' }),
    upload_url: z.string().meta({ description: 'PUT the bytes here, with the headers below and no token' }),
    headers: z.record(z.string(), z.string()),
    expires_at: timestamp,
  })
  .meta({ id: 'MediaUpload' });

export const mediaRoutes = {
  createUpload: route({
    method: 'POST',
    path: '/api/v1/media/uploads',
    summary: 'A signed address to upload a file to that is too large for a form',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'write',
    effect: 'write',
    body: uploadBody,
    answers: { 200: success(uploadView) },
    errors: ['validation_failed'],
  }),
};
