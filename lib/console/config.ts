import { rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import type { InlineConfig, Plugin } from 'vite';

/** Where the built pages are, and beside them what only the laptop serves. */
export const consoleFolders = { source: 'console', built: 'console/dist', builtForLaptop: 'console/dist-local' } as const;

/** How Vite builds the pages, and serves them with hot reload. `proxyTo` is a running `npm run dev`. */
export const consoleConfig = (root: string, proxyTo?: string): InlineConfig => ({
  configFile: false,
  root: join(root, consoleFolders.source),
  base: '/console/',
  publicDir: 'public',
  logLevel: 'warn',
  plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'de-DE', 'ar-AE'] }), enforce: 'pre' as const }, laptopChunksApart(root)],
  build: {
    outDir: join(root, consoleFolders.built),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: {
      polyfill: false,
      resolveDependencies: (chunk, needed) => needed.filter((each) => each !== chunk && !hasCome.test(each)),
    },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // React's directives for servers, which these pages have none of
      onLog: (level, log, show) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') show(level, log);
      },
      output: {
        // what the first page needs of libraries, in one: it compresses better, and a release that changes no library leaves it in caches
        codeSplitting: { groups: [{ name: 'libraries', test: librariesOfFirstPage }] },
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: ({ name, facadeModuleId }) =>
          `${isForLaptop(name) ? 'local' : 'assets'}/${isForLaptop(name) ? '' : languagePrefix(facadeModuleId)}[name]-[hash].js`,
        assetFileNames: ({ names }) => `${names.some(isForLaptop) ? 'local' : 'assets'}/[name]-[hash][extname]`,
      },
    },
  },
  ...(proxyTo === undefined
    ? {}
    : {
        server: {
          host: '127.0.0.1',
          proxy: Object.fromEntries(
            ['/api', '/_local', '/docs', '/mcp'].map((path) => [
              path,
              { target: proxyTo, headers: { origin: proxyTo }, changeOrigin: true },
            ]),
          ),
        },
      }),
});

const librariesOfFirstPage = /node_modules[\\/](?:react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/]/;

/** What a page has before it loads another: to name it in the list of each page costs two kilobytes of the first. */
const hasCome = /\/(?:libraries|rolldown-runtime|preload-helper|text|client|queries|icons|basics|formatting|problem-words|signed-in)-/;

/** Chunks whose module has this name are the laptop's: the phone simulator and its styles. */
const isForLaptop = (name: string): boolean => name.startsWith('local-');

/** The texts of a screen in one language are a chunk of their own, beside the screen's: `text-de-inbox`. */
const languagePrefix = (module: string | null | undefined): string => {
  const language = /\/text\/([a-z]{2})\/[\w-]+\.ts$/.exec(module ?? '')?.[1];
  return language === undefined ? '' : `text-${language}-`;
};

/** Moves the laptop's chunks out of what is deployed. */
const laptopChunksApart = (root: string): Plugin => ({
  name: 'laptop-chunks-apart',
  apply: 'build',
  closeBundle: async () => {
    const [from, to] = [join(root, consoleFolders.built, 'local'), join(root, consoleFolders.builtForLaptop)];
    await rm(to, { recursive: true, force: true });
    if (existsSync(from)) await rename(from, to);
  },
});
