import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { consoleSite, siteContext } from '../../functions/site/context.ts';
import { sessionsContext } from '../../functions/sessions/context.ts';
import { siteBucketOutput } from '../../lib/aws/naming.ts';
import { uploadSite } from '../../lib/aws/upload-site.ts';
import { type Emulator, freePort, startQueues } from '../support/emulators.ts';
import { templateOf } from './template.ts';

const bucket = 'site-of-this-test';
let emulator: Emulator;
let s3: S3Client;
let folder: string;

beforeAll(async () => {
  emulator = await startQueues(await freePort());
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  s3 = new S3Client({ endpoint: emulator.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
});
afterAll(async () => {
  s3.destroy();
  await emulator.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-site-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const build = (script: string): void => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), `<script src="/console/assets/${script}"></script>`);
  writeFileSync(join(folder, '.built'), '');
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets', script), 'start()');
};
const upload = () => uploadSite(s3, bucket, { folder, path: consoleSite.path });
const keys = async (): Promise<string[]> =>
  ((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(({ Key = '' }) => Key).toSorted();
const headersOf = async (key: string) => {
  const { ContentType, CacheControl } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  return [ContentType, CacheControl];
};

describe('the files of a site', () => {
  test('are uploaded with their types: those named by their content to keep, the page to look for again; the build stamp is none of them', async () => {
    build('index-aaaa.js');
    expect(await upload()).toEqual({ uploaded: 3, deleted: 0 });
    expect(await keys()).toEqual(['console/assets/index-aaaa.js', 'console/icon.svg', 'console/index.html']);
    expect(await headersOf('console/assets/index-aaaa.js')).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(await headersOf('console/index.html')).toEqual(['text/html; charset=utf-8', 'no-cache']);
    expect(await headersOf('console/icon.svg')).toEqual(['image/svg+xml', 'no-cache']);
  });

  test('of the deployment before stay for pages that are open, those of older ones are deleted', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const [index, script] of ['index-bbbb.js', 'index-cccc.js', 'index-dddd.js'].entries()) {
      vi.setSystemTime(Date.UTC(2030, index));
      build(script);
      await upload();
    }
    expect((await keys()).filter((key) => key.includes('assets'))).toEqual([
      'console/assets/index-cccc.js',
      'console/assets/index-dddd.js',
    ]);
  });

  test('are never replaced by a folder without a page', async () => {
    const before = await keys();
    await expect(upload()).rejects.toThrow(/npm run build:console/);
    expect(await keys()).toEqual(before);
  });

  test('go to the bucket that the stack names, and are looked for again through CloudFront, whose policy keeps nothing longer than it is told', () => {
    const template = templateOf([siteContext, sessionsContext], { site: true });
    expect(Object.keys(template.outputs)).toContain(siteBucketOutput(consoleSite.name));
    const [distribution] = template.ofType('AWS::CloudFront::Distribution');
    // Managed-CachingOptimized: at least a second, then as the origin says
    expect(JSON.stringify(distribution?.Properties['DistributionConfig'])).toContain(
      '"CachePolicyId":"658327ea-f89d-4fab-a63d-7e88639e58f6"',
    );
  });
});
