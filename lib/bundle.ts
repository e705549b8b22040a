import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Context, FunctionSpec } from '../shared/contract/context.ts';

/**
 * One file of plain JavaScript for each function: everything it needs, the AWS SDK included (sooner ready than with the runtime's copy),
 * minified, with its source map beside it. The same sources give the same bytes, wherever the output lies.
 */
export const bundle = async (contexts: readonly Context[], outDir: string): Promise<Bundles> => {
  const functions = contexts.flatMap((context) => context.functions);
  const { files, metafile } = await compile(functions);
  await rm(outDir, { recursive: true, force: true });
  await Promise.all([...files, ...(await filesBeside(functions))].map((file) => write(join(outDir, file.name), file.contents)));
  return { folderOf: (name) => join(outDir, name), metafile };
};

export interface Bundles {
  /** The folder that is uploaded: the bundle, its source map and the function's files. */
  folderOf: (functionName: string) => string;
  metafile: Metafile;
}

/** The file in a function's folder that exports its handler. */
export const bundleFile = 'main.cjs';

/** Bytes of minified code each function loads; its source map, read only after a failure, is not counted. */
export const bundleSizes = async (contexts: readonly Context[]): Promise<Record<string, number>> => {
  const { files } = await compile(contexts.flatMap((context) => context.functions));
  return Object.fromEntries(
    files.filter((file) => file.name.endsWith(bundleFile)).map((file) => [dirname(file.name), file.contents.length] as const),
  );
};

/** What a function may weigh, bytes. */
export const sizeBudget = 700_000;

const root = join(import.meta.dirname, '..');

/** esbuild gets an output folder that never varies, so that the paths inside source maps do not either. */
const nominalOut = join(root, 'cdk.out', 'bundles');

/**
 * Sources of credentials that the SDK loads only where the environment has none. In Lambda it always has those of the function's role, so none
 * of these is ever needed; Lambda's runtime has them all the same.
 */
const credentialsFromElsewhere = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

interface CompiledFile {
  /** `contacts-http/main.cjs` */
  name: string;
  contents: Uint8Array;
}

async function compile(functions: readonly FunctionSpec[]): Promise<{ files: CompiledFile[]; metafile: Metafile }> {
  if (functions.length === 0) return { files: [], metafile: { inputs: {}, outputs: {} } };
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(functions.map(({ name, entry }) => [`${name}/main`, entry])),
    outdir: nominalOut,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    // an ES module that imports one of Node's own reads all that it exports: of node:http that is the whole of fetch, for WebSocket's sake
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    mainFields: ['module', 'main'],
    external: credentialsFromElsewhere,
    legalComments: 'none',
    logLevel: 'error',
  });
  const files = outputFiles.map((file) => ({ name: relative(nominalOut, file.path), contents: file.contents }));
  return { files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)), metafile };
}

/** The files that functions read at run time. */
const filesBeside = (functions: readonly FunctionSpec[]): Promise<CompiledFile[]> =>
  Promise.all(
    functions.flatMap(({ name, files }) =>
      Object.entries(files ?? {}).map(async ([file, source]) => ({
        name: `${name}/${file}`,
        contents: await readFile(join(root, source)),
      })),
    ),
  );

async function write(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
