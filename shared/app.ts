import { accountContext } from '../functions/account/context.ts';
import { campaignsContext } from '../functions/campaigns/context.ts';
import { changesContext } from '../functions/changes/context.ts';
import { contactsContext } from '../functions/contacts/context.ts';
import { conversationsContext } from '../functions/conversations/context.ts';
import { crmContext } from '../functions/crm/context.ts';
import { dispatchContext } from '../functions/dispatch/context.ts';
import { frontContext } from '../functions/front/context.ts';
import { messagingContext } from '../functions/messaging/context.ts';
import { referenceContext } from '../functions/reference/context.ts';
import { shopContext } from '../functions/shop/context.ts';
import { webhooksContext } from '../functions/webhooks/context.ts';
import { verificationContext } from '../functions/verification/context.ts';
import type { Context } from './contract/context.ts';

/** Every context of the product. Read by bin, lib and test; never by functions. */
export const app: readonly Context[] = [
  accountContext,
  contactsContext,
  messagingContext,
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
