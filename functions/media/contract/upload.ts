import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const uploadBody = z.object({
  filename: text(240, 1).meta({ description: 'The file name; documents are shown with it.', example: 'catalog.pdf' }),
  content_type: text(200, 1).meta({
    description: 'The MIME type of the file. The upload must have the same Content-Type.',
    example: 'application/pdf',
  }),
  size: wholeNumber(1, 100 * 1024 * 1024).meta({ description: 'The size in bytes. The upload must have the same size.' }),
});
export type UploadInput = z.output<typeof uploadBody>;

export const uploadView = z
  .object({
    media_id: z.string().meta({ description: 'The id of the file, for `media_id` of sendText once the file is uploaded.' }),
    upload_url: z.string().meta({
      description: 'The signed URL: PUT the file here with `headers`, and without a token. It takes one file; 412 says that it has it.',
    }),
    headers: z.record(z.string(), z.string()).meta({ description: 'The headers that the upload must have.' }),
    expires_at: timestamp.meta({ description: 'Until when the URL accepts the file.' }),
  })
  .meta({ id: 'MediaUpload', description: 'An announced upload of a file.' });

export const mediaRoutes = {
  createUpload: route({
    method: 'POST',
    path: '/api/v1/media/uploads',
    makes: 'upload',
    summary: 'Create a media upload',
    description:
      'Returns a signed URL for a file of up to 100 MB. PUT the file there with the given headers, then send it with its `media_id` in sendText. The URL is valid for an hour, the file for 30 days.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    body: uploadBody.meta({ id: 'CreateUploadRequest' }),
    answers: { 200: success(uploadView) },
    refuses: ['media'],
    errors: ['validation_failed'],
    secret: true,
  }),
};
