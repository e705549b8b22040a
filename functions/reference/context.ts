import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { fileSources, referenceRoutes } from './contract.ts';

/** Reference: the API documentation as a page of the product. The table is used for rate limits only. */
export const referenceContext = context({
  name: 'reference',
  purpose: 'The API reference and its guides',
  functions: [
    {
      name: 'reference-http',
      trigger: 'http',
      entry: 'functions/reference/http.ts',
      routes: referenceRoutes,
      files: fileSources,
      uses: [usesTable('UpdateItem')],
    },
  ],
});
