import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import type { WireResponse } from './http-event.ts';
import { gatewayResponse } from './http-event.ts';
import { cacheControlOf, contentTypeOf, withDialog, withFilesFrom, withConnectionsTo } from '../../shared/contract/site.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';

/** The sites of the product, from their folders; undefined where a request is none of theirs. */
export type Sites = (method: string, path: string) => WireResponse | undefined;

interface Site {
  path: string;
  folder: string;
  localFolder: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** By path: pages that open the dialog of the provider. */
  dialogPages: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** As CloudFront serves them: the same headers, a page for what has no file ending; and the root leads to the first. */
export const sitesOf = (declared: Json | undefined, root: string, filesOrigin?: string, providerOrigin?: string): Sites => {
  const sites = listOf(declared ?? []).map((each): Site => {
    const { path, folder, localFolder, filesFrom, uploadsTo, dialogPages, headers: declaredHeaders } = objectOf(each);
    const local = textOf(localFolder);
    const texts = Object.entries(objectOf(declaredHeaders)).map(([name, value]) => [name, textOf(value) ?? '']);
    const headers = withConnectionsTo(
      withFilesFrom(Object.fromEntries(texts) as Record<string, string>, filesFrom === undefined ? undefined : filesOrigin),
      uploadsTo === undefined || filesOrigin === undefined ? [] : [filesOrigin],
    );
    // the dialog is that of the simulator
    const ofSimulator = providerOrigin === undefined ? [] : [providerOrigin];
    const pages = listOf(dialogPages ?? []).map((page) => `${textOf(path)}${textOf(objectOf(page).path)}`);
    return {
      path: textOf(path) ?? '/',
      folder: resolve(root, textOf(folder) ?? '.'),
      localFolder: local === undefined ? undefined : resolve(root, local),
      headers,
      dialogPages: new Map(pages.map((page) => [page, withDialog(headers, { scripts: ofSimulator, frames: ofSimulator })])),
    };
  });
  return (method, path) => {
    const [first] = sites;
    if (path === '/' && first && isRead(method)) return { status: 302, headers: { location: `${first.path}/` }, body: Buffer.alloc(0) };
    const site = sites.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    if (!site) return undefined;
    if (!isRead(method)) return gatewayResponse(405, 'Method Not Allowed');
    return fileOf({ ...site, headers: site.dialogPages.get(path) ?? site.headers }, path.slice(site.path.length + 1));
  };
};

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

function fileOf({ folder, localFolder, headers }: Site, path: string): WireResponse {
  const isPage = extname(path) === '';
  const isLocal = localFolder !== undefined && path.startsWith(localPrefix);
  const base = isLocal ? localFolder : folder;
  const file = resolve(base, isPage ? 'index.html' : decoded(isLocal ? path.slice(localPrefix.length) : path));
  const isInside = file.startsWith(base + sep);
  if (!isInside || !existsSync(file) || !statSync(file).isFile()) {
    if (isPage) return { status: 503, headers: { ...headers, 'content-type': 'text/html; charset=utf-8', refresh: '1' }, body: beingBuilt };
    return { status: 404, headers: { ...headers, 'content-type': 'text/plain' }, body: Buffer.from('Not Found') };
  }
  const type = contentTypeOf(extname(file).toLowerCase());
  return { status: 200, headers: { ...headers, 'content-type': type, 'cache-control': cacheControlOf(path) }, body: readFileSync(file) };
}

const localPrefix = 'local/';

/** For the seconds after a change of their sources. */
const beingBuilt = Buffer.from(
  '<!doctype html><title>Switchboard</title><p>The pages are being built. They appear here by themselves.</p>',
);

function decoded(path: string): string {
  try {
    // a file system knows no such name
    return decodeURIComponent(path).replaceAll('\0', '');
  } catch {
    return join('..', 'none');
  }
}
