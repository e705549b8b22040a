/**
 * Descriptions of fields that mean the same wherever they occur. A schema that gives its own description wins; a field that means
 * something else somewhere must not be in this list.
 */
export const commonDescriptions: Readonly<Record<string, string>> = {
  created_at: 'When the record was created.',
  updated_at: 'When the record last changed.',
  contact_id: 'The id of the contact.',
  conversation_id: 'The id of the conversation.',
  campaign_id: 'The id of the campaign.',
  lead_id: 'The id of the lead.',
  order_id: 'The id of the order.',
  product_id: 'The id of the product.',
  group_id: 'The id of the group.',
  company_id: 'The id of the company.',
  webhook_id: 'The id of the webhook endpoint.',
  page: 'The page, from 1. Use `cursor` for deep pages.',
  limit: 'Records a page.',
  per_page: 'Records a page; another name of `limit`.',
  cursor: 'The `meta.next_cursor` of the previous page, with the same filters.',
};
