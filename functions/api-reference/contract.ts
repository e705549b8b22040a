import * as z from 'zod';
import { route } from '../../shared/contract/route.ts';

/** The files that the page loads, with their content types. The page loads nothing from another host. */
export const fileTypes = {
  'openapi.json': 'application/json',
  'code-samples.json': 'application/json',
  'redoc.js': 'text/javascript; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
} as const;
/** The source of each file in the repository. */
export const fileSources: Readonly<Record<FileName, string>> = {
  'openapi.json': 'openapi.json',
  'code-samples.json': 'functions/api-reference/files/code-samples.generated.json',
  'redoc.js': 'node_modules/redoc/bundles/redoc.standalone.js',
  'page.js': 'functions/api-reference/files/page.js',
};
export type FileName = keyof typeof fileTypes;

const page = {
  method: 'GET',
  caller: { kind: 'public' },
  limit: 'public',
  isStatic: true,
  errors: [],
} as const;

export const referenceRoutes = {
  showReference: route({
    ...page,
    path: '/docs',
    summary: 'Get the API reference page',
    description: 'Returns this page.',
    answers: { 200: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
  }),
  showReferenceFile: route({
    ...page,
    path: '/docs/{file}',
    summary: 'Get a file of the API reference page',
    description: "Returns a file that the page loads: the OpenAPI document, the code samples or the renderer's script.",
    params: z.strictObject({ file: z.enum(Object.keys(fileTypes) as [FileName, ...FileName[]]) }),
    answers: { 200: z.string() },
    contentTypes: Object.values(fileTypes) as [string, ...string[]],
    errors: ['not_found'],
  }),
};
