import { serve } from '../../shared/http/serve.ts';
import { referenceRoutes } from './contract.ts';
import { showReferenceFile, showReference } from './service.ts';

export const handler = serve(referenceRoutes, {
  showReference: async () => showReference(),
  showReferenceFile: ({ params, headers }) => showReferenceFile(params.file, headers['accept-encoding']),
});
