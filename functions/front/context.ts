import { context } from '../../shared/contract/context.ts';
import { site } from '../../shared/contract/site.ts';

/** The pages of the product; today one that leads to the API reference. */
export const consoleSite = site({
  name: 'console',
  purpose: 'The pages of the product',
  folder: 'functions/front/site',
  path: '/console',
});

/** The fallback of the API: 404 for unknown paths. It uses no resource. And what a browser gets at the root. */
export const frontContext = context({
  name: 'front',
  purpose: 'Unknown paths, and the pages of the product',
  sites: [consoleSite],
  functions: [
    { name: 'front-http', entry: 'functions/front/http.ts', trigger: 'http', routes: {}, fallback: true, uses: [], memoryMb: 256 },
  ],
});
