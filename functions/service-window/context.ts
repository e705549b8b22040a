import { context } from '../../shared/contract/context.ts';

/**
 * The customer service window: a business may write freely for 24 hours after a contact's last message. It is read from the summary of the
 * conversation, which the context conversations writes; sending and searching contacts need no more of it than this part.
 */
export const serviceWindowContext = context({ name: 'service-window', purpose: 'When a contact last wrote', functions: [] });
