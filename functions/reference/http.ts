import { serve } from '../../shared/http/serve.ts';
import { referenceRoutes } from './contract.ts';
import { fileAnswer, pageAnswer } from './page.ts';

export const handler = serve(referenceRoutes, {
  showReference: async () => pageAnswer(),
  showReferenceFile: ({ params, headers }) => fileAnswer(params.file, headers['accept-encoding']),
});
