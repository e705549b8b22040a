import { api } from './client.ts';

/** The most that the provider takes of a file of any kind. */
export const mostFileBytes = 100 * 1024 * 1024;

/**
 * Uploads a file to the address that the API signs for it; its `media_id`. Not through the API, whose requests are a few megabytes at most.
 *
 * @throws what the API refused of the file, or an error where the upload failed
 */
export const uploadFile = async (file: File): Promise<string> => {
  const { data } = await api.createUpload({
    body: { filename: file.name, content_type: file.type || 'application/octet-stream', size: file.size },
  });
  // the browser sets the length itself, and lets no script do so
  const { 'content-length': _length, ...headers } = data.headers;
  const answer = await fetch(data.upload_url, { method: 'PUT', headers, body: file, credentials: 'omit' });
  if (!answer.ok) throw new Error(`The upload was answered ${answer.status}.`);
  return data.media_id;
};
