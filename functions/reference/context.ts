import { context } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { fileSources, referenceRoutes } from './contract.ts';

/** Reference: the API's documentation as a page of the product itself. The table only counts its calls. */
export const referenceContext = context({
  name: 'reference',
  purpose: 'The API reference and its guides, to be read in a browser',
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
