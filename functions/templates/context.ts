import { context } from '../../shared/contract/context.ts';
import { reactions } from './reactions.ts';

/** Templates: message templates at the provider and their copies here, kept equal by syncs and webhooks. */
export const templatesContext = context({
  name: 'templates',
  purpose: 'Message templates, created at the provider and synced from it',
  reactions,
  functions: [],
});
