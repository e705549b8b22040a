import { kindOfMime, kindOfName, maxBytesOf } from '../../functions/media/domain/file-kind.ts';
import { api } from './client.ts';

/** Why a file cannot be sent, before it is uploaded: by the product's own rule. */
export type FileProblem = { problem: 'type' } | { problem: 'size'; mostMegabytes: number };

export const fileProblem = ({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): FileProblem | undefined => {
  const known = kindOfMime(type) ?? kindOfName(name);
  if (!known) return { problem: 'type' };
  const most = maxBytesOf[known.kind];
  return size > most ? { problem: 'size', mostMegabytes: most / (1024 * 1024) } : undefined;
};

/** Whether a text can stand below the file: audio and stickers have none. */
export const takesCaption = ({ name, type }: Pick<File, 'name' | 'type'>): boolean => {
  const kind = (kindOfMime(type) ?? kindOfName(name))?.kind;
  return kind !== 'audio' && kind !== 'sticker';
};

/**
 * Uploads a file to the address that the API signs for it; its `media_id`. Not through the API, whose requests are a few megabytes at most.
 *
 * @throws what the API refused of the file, or an error where the upload failed
 */
export const uploadFile = async (file: File, onShare: (share: number) => void = () => undefined): Promise<string> => {
  const { data } = await api.createUpload({
    body: { filename: file.name, content_type: file.type || 'application/octet-stream', size: file.size },
  });
  await putFile(data.upload_url, data.headers, file, onShare);
  return data.media_id;
};

/**
 * Puts a file where the API signed an address for it, with the headers that it named.
 *
 * @throws where the upload failed
 */
export const putFile = async (
  address: string,
  named: Readonly<Record<string, string>>,
  file: File,
  onShare: (share: number) => void = () => undefined,
): Promise<void> => {
  // the browser sets the length itself, and lets no script do so
  const { 'content-length': _length, ...headers } = named;
  const status = await put(address, headers, file, onShare);
  if (status === 0) throw new TypeError('The upload found no network.');
  if (status < 200 || status > 299) throw new Error(`The upload was answered ${status}.`);
};

/** How long an upload may stand still, milliseconds: a large one on a slow line takes its time. */
const stillMs = 30_000;

/** The status of the answer; 0 where none came. `fetch` does not say how far an upload is. */
const put = (address: string, headers: Readonly<Record<string, string>>, file: File, onShare: (share: number) => void): Promise<number> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const began = performance.now();
    request.open('PUT', address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.timeout = stillMs;
    request.upload.addEventListener('progress', ({ loaded, total, timeStamp }) => {
      // counted from the beginning of the request
      request.timeout = timeStamp - began + stillMs;
      onShare(total > 0 ? loaded / total : 0);
    });
    request.addEventListener('loadend', () => resolve(request.status));
    request.send(file);
  });
