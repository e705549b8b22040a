import type { UploadedFile } from '../../../shared/contract/file.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { checkFile, storeFile } from '../../media/service/files.ts';
import { loadSharedUpload } from '../../media/service/uploads.ts';
import type { CampaignInput } from '../contract/campaign-input.ts';
import type { Checked } from './campaign-input.ts';

export interface Attachment {
  media: StoredMedia;
  file?: UploadedFile;
}

type FileFields = Partial<Pick<CampaignInput, 'media_id' | 'media_url' | 'pdf' | 'imageupload'>>;

/** `pdf` or `imageupload` of the form, or an upload: one file for the header of the template. */
export const readAttachment = async (companyId: number, input: FileFields): Promise<Checked<Attachment | undefined>> => {
  const { media_id: uploadId, media_url, pdf, imageupload } = input;
  if (uploadId === undefined) return readFormFile(input);
  if (media_url !== undefined || pdf || imageupload) return { errors: { media_id: ['Not together with another file: a header has one.'] } };
  const media = await loadSharedUpload(companyId, uploadId);
  return isProblem(media) ? { errors: media.errors ?? {} } : { value: { media } };
};

const readFormFile = ({ pdf, imageupload, media_url }: FileFields): Checked<Attachment | undefined> => {
  const given = [
    ['pdf', pdf],
    ['imageupload', imageupload],
  ] as const;
  const files = given.flatMap(([field, file]) => (file ? [{ field, file }] : []));
  const [first, second] = files;
  if (!first) return { value: undefined };
  if (second) return { errors: { imageupload: ['Not together with pdf: a header has one file.'] } };
  if (media_url !== undefined) return { errors: { media_url: [`Not together with ${first.field}.`] } };
  const media = checkFile(first.file);
  if ('refused' in media) return { errors: { [first.field]: [media.refused] } };
  const fits = first.field === 'pdf' ? media.mime === 'application/pdf' : media.kind === 'image' || media.kind === 'video';
  if (!fits) return { errors: { [first.field]: [first.field === 'pdf' ? 'Must be a PDF file.' : 'Must be an image or a video.'] } };
  return { value: { media, file: first.file } };
};

/** Keeps the file under the operation's name, so that a repetition writes the same object. */
export const storeAttachment = async (companyId: number, operationId: string, { media, file }: Attachment): Promise<StoredMedia> => {
  if (!file) return media;
  const key = `C${companyId}/campaigns/${operationId}`;
  await storeFile(key, file, media.mime);
  return { ...media, key };
};
