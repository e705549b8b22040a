import { api } from '../../data/client.ts';
import { putFile } from '../../data/uploads.ts';

/** What the columns of a file mean, and whether all in it agreed. */
export interface ImportMeaning {
  columns: Readonly<Record<string, string>>;
  subscribed: boolean;
}

/** An import whose file is uploaded. */
export interface Started extends ImportMeaning {
  id: number;
  filename: string;
}

/** Uploads a file as an import, which waits for its start. */
export const uploadImport = async (
  file: File,
  { columns, subscribed }: ImportMeaning,
  call: { idempotencyKey: string },
  onShare?: (share: number) => void,
): Promise<Started> => {
  const body = { filename: file.name, size: file.size, subscribed, columns: { ...columns }, ignore_unknown_columns: true };
  const { data } = await api.createImport({ body }, call);
  if (data.upload) await putFile(data.upload.url, data.upload.headers, file, onShare);
  return { id: data.id, filename: file.name, columns, subscribed };
};
