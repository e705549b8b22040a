import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { cacheControlOf, contentTypeOf, hashedFolder, type SiteSpec } from '../../shared/contract/site.ts';

/** How long before its page a deployment's files are uploaded, at most. */
const uploadMs = 3_600_000;

/**
 * Uploads the built files of a site: those with a hash in their name first, to be kept by browsers for a year; then the pages that name them,
 * to be looked for again each time. CloudFront keeps those for a second, its cache policy's least, so nothing has to be invalidated. Files of
 * the deployment before stay, for pages that are open; older ones are deleted.
 *
 * @returns how many files were uploaded, and how many deleted
 */
export const uploadSite = async (
  s3: S3Client,
  bucket: string,
  { folder, path }: Pick<SiteSpec, 'folder' | 'path'>,
): Promise<{ uploaded: number; deleted: number }> => {
  const prefix = `${path.slice(1)}/`;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    );
  const isHashed = (name: string): boolean => name.startsWith(hashedFolder);
  if (!names.includes('index.html')) throw new Error(`There is no index.html in ${folder}: npm run build:console makes it.`);
  const before = await listObjects(s3, bucket, prefix);
  for (const name of [...names.filter(isHashed), ...names.filter((each) => !isHashed(each))])
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: prefix + name,
        Body: readFileSync(join(folder, name)),
        ContentType: contentTypeOf(extname(name).toLowerCase()),
        CacheControl: cacheControlOf(name),
      }),
    );
  const uploaded = new Set(names.map((name) => prefix + name));
  const deployedAt = before.get(`${prefix}index.html`) ?? 0;
  const old = [...before].filter(([key, at]) => !uploaded.has(key) && at < deployedAt - uploadMs).map(([key]) => key);
  for (let first = 0; first < old.length; first += 1_000) {
    const Objects = old.slice(first, first + 1_000).map((Key) => ({ Key }));
    const { Errors: [failed] = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }));
    if (failed) throw new Error(`${failed.Key} was not deleted: ${failed.Message}`);
  }
  return { uploaded: names.length, deleted: old.length };
};

/** When each object was uploaded last, epoch milliseconds. */
async function listObjects(s3: S3Client, bucket: string, prefix: string): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
    const page = await s3.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(token ? { ContinuationToken: token } : {}) }),
    );
    for (const { Key, LastModified } of page.Contents ?? []) if (Key !== undefined) all.set(Key, LastModified?.getTime() ?? 0);
    token = page.NextContinuationToken;
  }
  return all;
}
