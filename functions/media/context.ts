import { context } from '../../shared/contract/context.ts';
import { mediaBucket } from './contract/bucket.ts';

/** Media: files that are uploaded to be sent, and files that contacts sent. Messages, campaigns and templates name them. */
export const mediaContext = context({ name: 'media', purpose: 'Files, sent and received', buckets: [mediaBucket], functions: [] });
