import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectPages } from '../../bin/admin/doctor/deployment.ts';
import { siteBuildOutput } from '../../lib/aws/naming.ts';
import { buildInFolder, buildOfPage } from '../../lib/aws/site-build.ts';
import { smoke } from '../../lib/aws/smoke.ts';
import { app } from '../../functions/app.ts';
import { consoleSite } from '../../functions/site/context.ts';
import { templateOf } from './template.ts';

/** After a deploy the product is called: CloudFormation knows only resources that fail. */
describe('what was just deployed', () => {
  const page = '<!doctype html><script src="/console/assets/index-1a2b.js"></script>';
  let statusOf: Record<string, number>;
  let url: string;
  let close: () => void;
  beforeEach(async () => {
    statusOf = { '/docs': 200, '/api/v1/me': 401, '/api/v1/none': 404, '/console/': 200 };
    const server = createServer((request: IncomingMessage, response) => {
      response.statusCode = statusOf[new URL(request.url ?? '', 'http://x').pathname] ?? 500;
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => server.close();
  });
  afterEach(() => close());
  const deployed = (build: string) => ({ apiUrl: url, siteUrl: url, sites: [{ site: consoleSite, build }] });

  test('is in order when gateway, table and pages answer as they should', async () => {
    expect(await smoke(deployed(buildOfPage(page)))).toEqual([]);
    expect(await smoke({ apiUrl: url, siteUrl: undefined, sites: [] })).toEqual([]);
  });

  test.each([
    ['/docs', 502, 'The reference'],
    ['/api/v1/me', 500, 'A token that there is not'],
    ['/api/v1/none', 403, 'An unknown path'],
    ['/console/', 404, 'The pages of console'],
  ])('is not when %s answers %i, and what fails is named', async (path, status, what) => {
    statusOf[path] = status;
    expect((await smoke(deployed(buildOfPage(page)))).join()).toMatch(new RegExp(`${what}: .* answers ${status} in place of`));
  });

  test('is not when it does not answer, or has the pages of another deployment', async () => {
    expect(await smoke(deployed('0123456789ab'))).toEqual([
      'The pages of console: they are of another build than the stack: npm run deploy uploads them.',
    ]);
    close();
    expect(await smoke({ apiUrl: 'http://127.0.0.1:1', siteUrl: undefined, sites: [] })).toHaveLength(3);
  });

  test('says its build in an output, by which doctor finds pages that were not uploaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-build-'));
    expect(buildInFolder(folder, { folder: '.' })).toBeUndefined();
    writeFileSync(join(folder, 'index.html'), page);
    const build = buildInFolder(folder, { folder: '.' });
    expect(templateOf(app, { site: true }, { buildOf: () => build }).outputs[siteBuildOutput('console')]?.Value).toBe(build);
    const findings = (served: string) => inspectPages('https://pages.example/console/', build, () => Promise.resolve(served));
    expect((await findings(page)).map(({ level }) => level)).toEqual(['ok']);
    expect(await findings(`${page} older`)).toMatchObject([{ level: 'wrong', remedy: 'npm run deploy uploads them.' }]);
  });
});
