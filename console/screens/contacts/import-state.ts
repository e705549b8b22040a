import type { ContactImport } from '../../../client/client.ts';

/** Whether it goes on by itself. */
export const isRunning = ({ status }: Pick<ContactImport, 'status'>): boolean => status === 'queued' || status === 'running';

/** How much of the file is read, 0 to 1; undefined as long as its size is not known. */
export const shareRead = ({ progress: { bytes, bytes_total: total } }: Pick<ContactImport, 'progress'>): number | undefined =>
  total === null || total === 0 ? undefined : Math.min(1, bytes / total);
