import { context } from '../../shared/contract/context.ts';
import { importsBucket } from '../contacts/contract/import.ts';
import { mediaBucket } from '../media/contract/bucket.ts';
import { site, siteHeaders } from '../../shared/contract/site.ts';
import { providerDialog } from '../../shared/provider/dialog.ts';

/** React Aria writes one constant style, for touches on buttons; allowed by the hash of its text. */
const policy = siteHeaders['content-security-policy'].replace(
  "style-src 'self'",
  "style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='",
);

/** The console: the pages in which people work. `npm run build:console` makes its files; see docs/decisions/console.md. */
export const consoleSite = site({
  name: 'console',
  purpose: 'The pages of the product',
  folder: 'console/dist',
  localFolder: 'console/dist-local',
  filesFrom: mediaBucket,
  uploadsTo: [mediaBucket, importsBucket],
  path: '/console',
  dialogPages: [
    {
      name: 'signup',
      path: '/settings/numbers/signup',
      scripts: [new URL(providerDialog.scriptUrl).origin],
      frames: providerDialog.origins,
    },
  ],
  headers: { 'content-security-policy': policy },
});

/** The fallback of the API: 404 for unknown paths. It uses no resource. And what a browser gets at the root. */
export const siteContext = context({
  name: 'site',
  purpose: 'Unknown paths, and the pages of the product',
  sites: [consoleSite],
  functions: [
    { name: 'front-http', entry: 'functions/site/http.ts', trigger: 'http', routes: {}, fallback: true, uses: [], memoryMb: 256 },
  ],
});
