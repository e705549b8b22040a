import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { fileSources, referenceRoutes } from './contract.ts';

/** The API documentation as a page of the product. The table is used for rate limits only. */
export const apiReferenceContext = context({
  name: 'api-reference',
  chapter: 'reference',
  purpose: 'The API reference and its guides',
  functions: [
    {
      name: 'reference-http',
      trigger: 'http',
      entry: 'functions/api-reference/http.ts',
      routes: referenceRoutes,
      files: fileSources,
      uses: [usesTable('UpdateItem')],
    },
  ],
});
