import { accountContext } from './account/context.ts';
import { campaignsContext } from './campaigns/context.ts';
import { changesContext } from './changes/context.ts';
import { contactsContext } from './contacts/context.ts';
import { conversationsContext } from './conversations/context.ts';
import { crmContext } from './crm/context.ts';
import { dispatchContext } from './dispatch/context.ts';
import { frontContext } from './front/context.ts';
import { messagingContext } from './messaging/context.ts';
import { referenceContext } from './reference/context.ts';
import { shopContext } from './shop/context.ts';
import { templatesContext } from './templates/context.ts';
import { webhooksContext } from './webhooks/context.ts';
import { verificationContext } from './verification/context.ts';
import type { Context } from '../shared/contract/context.ts';

/** Every context of the product. Read by bin, lib and test; never by functions. */
export const app: readonly Context[] = [
  accountContext,
  contactsContext,
  messagingContext,
  templatesContext,
  conversationsContext,
  crmContext,
  shopContext,
  webhooksContext,
  campaignsContext,
  changesContext,
  dispatchContext,
  frontContext,
  verificationContext,
  referenceContext,
];
