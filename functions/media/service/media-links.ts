import { signedUrl } from '../../../shared/objects/bucket.ts';
import { mediaBucket } from '../contract/bucket.ts';
import type { StoredMedia } from '../contract/stored.ts';

/** How long a link to a file in a message view is valid. */
export const mediaLinkSeconds = 900;

/**
 * A URL of a message's file: a signed one for a file in our bucket, otherwise the link it was sent with. Always as a download, because the
 * sender states the kind of file.
 */
export const getMediaLink = async ({ key, url }: StoredMedia): Promise<string | undefined> =>
  key === undefined ? url : signedUrl(mediaBucket, key, 'GET', { seconds: mediaLinkSeconds, asDownload: true });
