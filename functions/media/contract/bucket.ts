import type { BucketSpec } from '../../../shared/contract/resource.ts';

/** Files of messages: uploads to be sent, and files that contacts sent. Keys begin with the company. */
export const mediaBucket: BucketSpec = { kind: 'bucket', name: 'media', purpose: 'Files of messages, sent and received' };
