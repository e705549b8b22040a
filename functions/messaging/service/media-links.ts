import { signedUrl } from '../../../shared/objects/bucket.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { MessageMedia } from '../contract/stored.ts';

/** How long a link to a file in a message view is good. */
export const mediaLinkSeconds = 3_600;

/**
 * Where the file of a message is to be had: a signed link for one that is in our bucket, else the address it was sent with. Always as a
 * download: what kind of file it is, is its sender's word.
 */
export const getMediaLink = async ({ key, url }: MessageMedia): Promise<string | undefined> =>
  key === undefined ? url : signedUrl(mediaBucket, key, 'GET', { seconds: mediaLinkSeconds, asDownload: true });
