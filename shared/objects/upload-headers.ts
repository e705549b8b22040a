/** What a page may send with an upload to a signed address, in AWS and on the laptop: every header that such an address signs is among them. */
export const uploadHeaders = ['content-type', 'if-none-match', 'content-md5', 'x-amz-checksum-sha256'];
