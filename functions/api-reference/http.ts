import { serve } from '../../shared/http/serve.ts';
import { referenceRoutes } from './contract.ts';
import { showReference, showReferenceFile, showReferencePage } from './service.ts';

export const handler = serve(referenceRoutes, {
  showReference: () => showReference(),
  showReferenceFile: ({ params, headers }) => showReferenceFile(params.file, headers['accept-encoding']),
  showReferencePage: ({ params, headers }) => showReferencePage(params.section, params.page, headers['accept-encoding']),
});
