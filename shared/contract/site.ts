import type { BucketSpec } from './resource.ts';

/**
 * A site: static files for a browser, on one origin with the API, so that its pages use sessions and need no CORS. Read by the CDK app (a
 * private bucket behind CloudFront) and by the local runner (the folder itself, with the same headers).
 */
export interface SiteSpec {
  name: string;
  purpose: string;
  /** Where the built files are, from the repository's root; it holds an `index.html`. */
  folder: string;
  /** What the laptop serves besides, at `/local` below the path; no deployment has it. */
  localFolder?: string;
  /** The bucket whose files the pages show: pictures and recordings, by signed links. */
  filesFrom?: BucketSpec;
  /** The buckets to which the pages upload, by signed addresses. */
  uploadsTo?: readonly BucketSpec[];
  /** Under which path they are: `/console`. What has no file ending is a page, and gets `index.html`. */
  path: string;
  /** Pages that open the dialog of the provider: its script is let in on these alone. */
  dialogPages?: readonly DialogPage[];
  /** Of every answer, by lower-case name. */
  headers: Readonly<Record<string, string>>;
}

export interface DialogPage {
  name: string;
  /** Below the path of the site: `/settings/numbers/signup`. */
  path: string;
  /** From where the script comes. */
  scripts: readonly string[];
  /** What the script frames and calls. */
  frames: readonly string[];
}

/** What a file of a site is, by its lower-case ending. */
export const contentTypeOf = (ending: string): string => contentTypes[ending] ?? 'application/octet-stream';

/** How long a browser keeps a file of a site: one whose name has a hash of its content never changes, any other is checked each time. */
export const cacheControlOf = (name: string): string =>
  name.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache';

/** Files whose names have a hash of their content, below the folder of a site. */
export const hashedFolder = 'assets/';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Strict for every site: no foreign script, style, frame or form; what it connects to is the API beside it. */
export const siteHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const satisfies Readonly<Record<string, string>>;

export const site = (spec: Omit<SiteSpec, 'headers'> & { headers?: SiteSpec['headers'] }): SiteSpec => ({
  ...spec,
  headers: { ...siteHeaders, ...spec.headers },
});

/** The headers of a site whose pages may connect to these origins besides their own: to upload, and for the doorbell. */
export const withConnectionsTo = (headers: SiteSpec['headers'], origins: readonly string[]): SiteSpec['headers'] => {
  const policy = headers['content-security-policy'];
  if (policy === undefined || origins.length === 0) return headers;
  return { ...headers, 'content-security-policy': policy.replace("connect-src 'self'", ["connect-src 'self'", ...origins].join(' ')) };
};

/** The headers of a site whose pages may show pictures and recordings of this origin besides their own. */
export const withFilesFrom = (headers: SiteSpec['headers'], origin: string | undefined): SiteSpec['headers'] => {
  const policy = headers['content-security-policy'];
  if (policy === undefined || origin === undefined) return headers;
  return { ...headers, 'content-security-policy': policy.replace(/(img|media)-src 'self'/g, `$1-src 'self' ${origin}`) };
};

/** The headers of a page that opens a dialog: its script comes from there, and the window of the dialog can post to the page. */
export const withDialog = (
  headers: SiteSpec['headers'],
  { scripts, frames }: Pick<DialogPage, 'scripts' | 'frames'>,
): SiteSpec['headers'] => {
  const policy = headers['content-security-policy'] ?? siteHeaders['content-security-policy'];
  return {
    ...headers,
    'content-security-policy': policy
      .replace("script-src 'self'", ["script-src 'self'", ...scripts].join(' '))
      .replace("connect-src 'self'", ["connect-src 'self'", ...frames].join(' '))
      .replace('; frame-ancestors', `; frame-src ${frames.join(' ')}; frame-ancestors`),
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  };
};
