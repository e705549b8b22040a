import { signupAppId } from '../support/provider-stub.ts';

type Json = Record<string, unknown>;

/** Other names of a field, as the specification gives them: each is walked without the field that it stands for. */
const aliases: Readonly<Record<string, string>> = {
  '*.per_page': 'limit',
  'completeTask.outcome': 'outcome_notes',
  'completeTask.notes': 'outcome_notes',
  'cancelTask.reason': 'cancellation_reason',
  'createNote.note': 'body',
  'sendTemplate.language': 'template_language',
  'sendTemplateByGet.language': 'template_language',
};

/** Fields that are declared so that they are refused by their name: 422 that names them. */
export const refused: Readonly<Record<string, unknown>> = {
  // the contact of a lead does not change; its stage does by moveLead
  'updateLead.contact_id': 987_654,
  'updateLead.pipeline_id': 987_654,
  'updateLead.stage_id': 987_654,
};

/** Fields without an effect, which stay for what the reason says. */
const without: Readonly<Record<string, string>> = {
  'sendTemplate.window_policy': 'deprecated: a template needs no window',
  'sendTemplateByGet.window_policy': 'deprecated: a template needs no window',
  'listMessages.status': 'required, with one value: the list says what it is of',
  'previewAudience.media_url': 'so that the body of a campaign can be previewed as it is; a header excludes no recipient',
  'previewAudience.location': 'so that the body of a campaign can be previewed as it is; a header excludes no recipient',
};

/** Fields that mean something in a state or form that a walk does not make, with the test that shows their effect. */
export const shownBy: Readonly<Record<string, string>> = {
  'getSync.version': 'test/conversations/sync.test.ts',
  'getSync.messages': 'test/conversations/sync.test.ts',
  'sendText.image': 'test/media/media.test.ts',
  'sendText.voice': 'test/media/media.test.ts',
  'sendTextByGet.voice': 'test/media/media.test.ts',
  'checkPhone.refresh': 'test/contacts/reachability.test.ts',
  'bulkSyncContacts.country_code': 'test/contacts/bulk.test.ts',
  // sealed at rest, shown never: what they do is seen at the provider
  'addNumber.access_token': 'test/account/numbers.test.ts',
  'addNumber.app_secret': 'test/account/numbers.test.ts',
  'rotateNumberSecrets.access_token': 'test/account/numbers.test.ts',
  'createApp.app_secret': 'test/messaging/company-apps.test.ts',
  'rotateAppSecret.app_secret': 'test/messaging/company-apps.test.ts',
  'completeSignup.state': 'test/messaging/signups.test.ts',
  'completeSignup.code': 'test/messaging/signups.test.ts',
  'completeSignup.waba_id': 'test/messaging/signups.test.ts',
  'completeSignup.phone_number_id': 'test/messaging/signups.test.ts',
  'completeSignup.pin': 'test/messaging/signups.test.ts',
  'createSignInCode.email': 'test/security/sign-in-codes.test.ts',
  'createPasskey.credential': 'test/security/passkeys.test.ts',
  'signInWithPasskey.credential': 'test/security/passkeys.test.ts',
  'updateContact.remove_tags': 'test/contacts/jobs.test.ts',
  'createTemplate.examples': 'test/templates/create-template.test.ts',
  // by the same form
  'updateTemplate.examples': 'test/templates/create-template.test.ts',
  'setKeywords.start_reply': 'test/messaging/opt-out.test.ts',
  'getBoard.limit': 'test/crm/leads.test.ts',
  'exportCampaignMessages.status': 'test/campaigns/results.test.ts',
  'exportCampaignMessages.limit': 'test/campaigns/results.test.ts',
  'updateCampaign.confirm_stale': 'test/campaigns/control.test.ts',
  'listVerificationBlocks.limit': 'test/verification/limits.test.ts',
  'listVerificationBlocks.profile_id': 'test/verification/admin.test.ts',
  'getVerificationReport.profile_id': 'test/verification/requests.test.ts',
  'getReach.template_id': 'test/templates/reach.test.ts',
  'getSpend.only': 'test/verification/requests.test.ts',
  'getSpend.profile_id': 'test/verification/requests.test.ts',
  'bulkUpdateConversations.status': 'test/conversations/inbox.test.ts',
  'bulkUpdateConversations.snoozed_until': 'test/conversations/snooze.test.ts',
  'updateConversation.snoozed_until': 'test/conversations/snooze.test.ts',
  'listDeliveries.event_id': 'test/webhooks/webhooks.test.ts',
  'listAllDeliveries.event_id': 'test/webhooks/webhooks.test.ts',
  'listAllDeliveries.from': 'test/webhooks/webhooks.test.ts',
  'replayDeliveries.since': 'test/webhooks/webhooks.test.ts',
  'updateShopSettings.strict_order_transitions': 'test/shop/orders.test.ts',
  'updateShopSettings.quiet_hours': 'test/shop/carts.test.ts',
  'updatePipeline.name': 'test/crm/leads.test.ts',
  'updateConversation.unread': 'test/conversations/inbox.test.ts',
  'previewAudience.prevent_template_duplicates': 'test/campaigns/create.test.ts',
  // of a trusted server alone, which the example is not
  'requestVerification.ip_address': 'test/verification/limits.test.ts',
  'verifyCode.ip_address': 'test/security/verification-budgets.test.ts',
  'verifyCode.code': 'test/verification/attempts.test.ts',
  // of a user who never signed in to the chosen company
  'createSession.accept': 'test/security/sign-in-codes.test.ts',
  // a form of sendTemplate, whose walk shows the same fields as JSON
  'sendTemplateByGet.components': 'test/messaging/outbound-templates.test.ts',
  'sendTemplateByGet.variables': 'test/messaging/outbound-templates.test.ts',
  'sendTemplateByGet.header_variables': 'test/messaging/outbound-templates.test.ts',
  // within lists whose forms exclude each other
  'sendInteractive.interactive/cards[]/buttons[]/id': 'test/messaging/outbound-kinds.test.ts',
  'sendTemplate.components[]/sub_type': 'test/messaging/outbound-templates.test.ts',
  'sendTemplate.components[]/index': 'test/messaging/outbound-templates.test.ts',
  'sendTemplate.components[]/parameters': 'test/messaging/outbound-templates.test.ts',
  'createTemplate.library_template_name': 'test/templates/library.test.ts',
  'createTemplate.library_template_button_inputs': 'test/templates/library.test.ts',
  'createTemplate.library_template_body_inputs': 'test/templates/library.test.ts',
  'createTemplate.components[]/examples': 'test/templates/create-template.test.ts',
  'createTemplate.components[]/cards': 'test/templates/rules.test.ts',
  'createTemplate.components[]/limited_time_offer': 'test/templates/special-kinds.test.ts',
  'sendTemplate.components[]/cards': 'test/templates/special-kinds.test.ts',
  'updateShopSettings.abandoned_cart/parammatch': 'test/shop/carts.test.ts',
  'createCampaign.location': 'test/campaigns/attachments.test.ts',
  'createCampaign.offer_ends_at': 'test/campaigns/special-templates.test.ts',
  'createCampaign.products': 'test/campaigns/special-templates.test.ts',
  'sendTestMessage.contact_id': 'test/campaigns/outcomes.test.ts',
  'sendTestMessage.parammatch': 'test/campaigns/outcomes.test.ts',
  'sendTestMessage.media_url': 'test/campaigns/attachments.test.ts',
  'sendTestMessage.media_id': 'test/campaigns/attachments.test.ts',
  'sendTestMessage.location': 'test/campaigns/attachments.test.ts',
  'sendTestMessage.offer_ends_at': 'test/campaigns/special-templates.test.ts',
  'sendTestMessage.products': 'test/campaigns/special-templates.test.ts',
  'retryCampaign.codes': 'test/campaigns/outcomes.test.ts',
  'retryCampaign.contact_ids': 'test/campaigns/outcomes.test.ts',
  'compareCampaigns.sort': 'test/campaigns/outcomes.test.ts',
  'compareCampaigns.template_id': 'test/campaigns/outcomes.test.ts',
  'compareCampaigns.limit': 'test/campaigns/outcomes.test.ts',
  'listReceiverPosts.limit': 'test/shop/receivers.test.ts',
  'listReceiverPosts.receiver': 'test/shop/receivers.test.ts',
  'listCampaignReplies.limit': 'test/campaigns/outcomes.test.ts',
  'cloneCampaign.offer_ends_at': 'test/campaigns/special-templates.test.ts',
  'previewAudience.excluded_reason': 'test/campaigns/left-out.test.ts',
  'previewAudience.offer_ends_at': 'test/campaigns/special-templates.test.ts',
  'previewAudience.products': 'test/campaigns/special-templates.test.ts',
  'renderTemplate.parammatch': 'test/campaigns/render-template.test.ts',
  'renderTemplate.media_url': 'test/campaigns/render-template.test.ts',
  'renderTemplate.location': 'test/campaigns/render-template.test.ts',
  'renderTemplate.offer_ends_at': 'test/campaigns/render-template.test.ts',
  'renderTemplate.products': 'test/campaigns/render-template.test.ts',
  // prices as tiers, of which the example has those of one category
  ...Object.fromEntries(
    ['marketing', 'authentication', 'authentication_international', 'service'].flatMap((category) =>
      ['from', 'price'].map((part) => [`setRates.markets[]/${category}[]/${part}`, 'test/spend/prices.test.ts']),
    ),
  ),
};

/** Whether a path is that of a field, or lies within it. */
const isOrHolds = (name: string, path: string): boolean => path === name || path.startsWith(`${name}/`) || path.startsWith(`${name}[]/`);

/** Whether a field, or one that holds it, is named above as one that the walk leaves out. */
export const isNamed = (operation: string, field: string): boolean => {
  const isIn = (names: object): boolean => Object.keys(names).some((name) => isOrHolds(name, `${operation}.${field}`));
  return isIn(refused) || isIn(without) || isIn(shownBy);
};

/** Every field that is named above, as `operation.field`; `*` stands for any operation. */
export const namedFields = (): string[] => [aliases, refused, without, shownBy, companions].flatMap((each) => Object.keys(each));

const withButton = (button: Json, category = 'UTILITY'): Json => ({
  category,
  components: [
    { type: 'BUTTONS', buttons: [button] },
    category === 'AUTHENTICATION' ? { type: 'BODY' } : { type: 'BODY', text: 'Hello there.' },
  ],
});
const withCodeButton = (button: Json): Json => withButton({ type: 'OTP', ...button }, 'AUTHENTICATION');
const androidApp = { package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' };

const aCard = (name: string): Json => ({
  image: `https://example.com/${name}.jpg`,
  message: name,
  button_name: 'Buy',
  button_url: `https://example.com/${name}`,
});

/** What else a call has for the field to mean something: a time zone needs a time. */
const companions: Readonly<Record<string, Json>> = {
  'getRate.country': { phone: undefined },
  'setRates.adjustment': {
    markets: undefined,
    adjustment: { from_currency: 'USD', factor: '0.93', percent: '5', fixed: { marketing: '0.002' } },
  },
  'createMachineToken.shared_secret': { make_shared_secret: undefined },
  'sendText.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendTextByGet.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendList.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendListByGet.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendInteractive.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendInteractive.interactive/flow_name': { interactive: { type: 'flow', flow_name: 'booking', button: 'Book', screen: 'FIRST' } },
  'sendInteractive.interactive/catalog_id': { interactive: { type: 'product', catalog_id: '1', product_id: 'rye' } },
  'sendInteractive.interactive/product_id': { interactive: { type: 'product', catalog_id: '1', product_id: 'rye' } },
  'sendInteractive.interactive/sections': {
    header: 'Bread',
    interactive: { type: 'product_list', catalog_id: '1', sections: [{ title: 'Bread', product_ids: ['rye'] }] },
  },
  'sendInteractive.interactive/thumbnail_product_id': { interactive: { type: 'catalog', thumbnail_product_id: 'rye' } },
  'sendInteractive.interactive/country': { interactive: { type: 'address', country: 'IN' } },
  'sendInteractive.interactive/values': { interactive: { type: 'address', country: 'IN', values: { name: 'Asha' } } },
  'sendInteractive.interactive/saved_addresses': {
    interactive: { type: 'address', country: 'IN', saved_addresses: [{ id: 'home', value: { name: 'Asha' } }] },
  },
  'sendInteractive.interactive/validation_errors': {
    interactive: { type: 'address', country: 'IN', validation_errors: { name: 'Too short.' } },
  },
  'sendInteractive.interactive/cards': { interactive: { type: 'carousel', cards: [aCard('a'), aCard('b')] } },
  'sendContacts.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendLocation.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendTemplate.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'sendTemplateByGet.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'rescheduleMessage.timezone': { scheduled_at: '2027-01-01T09:00:00' },
  'updateCampaign.timezone': { send_time: '2027-01-01T09:00:00' },
  'createCampaign.timezone': { send_time: '2027-01-01T09:00:00' },
  'cloneCampaign.timezone': { send_time: '2027-01-01T09:00:00' },
  'sendText.buttons[]/id': { buttons: [{ id: 'a', title: 'A' }] },
  'sendTextByGet.buttons[]/id': { buttons: [{ id: 'a', title: 'A' }] },
  'createTemplate.components[]/buttons': withButton({ type: 'URL', text: 'Shop', url: 'https://a.example/' }),
  'createTemplate.components[]/buttons[]/phone_number': withButton({ type: 'PHONE_NUMBER', text: 'Call', phone_number: '+4915112345678' }),
  'createTemplate.components[]/buttons[]/example': withButton({
    type: 'URL',
    text: 'Shop',
    url: 'https://a.example/{{1}}',
    example: ['x'],
  }),
  'createTemplate.components[]/buttons[]/examples': withButton({ type: 'URL', text: 'Shop', url: 'https://a.example/{{1}}' }),
  'createTemplate.components[]/buttons[]/otp_type': withCodeButton({ otp_type: 'COPY_CODE' }),
  'createTemplate.components[]/buttons[]/autofill_text': withCodeButton({ otp_type: 'ONE_TAP', supported_apps: [androidApp] }),
  'createTemplate.components[]/buttons[]/package_name': withCodeButton({ otp_type: 'ONE_TAP', ...androidApp }),
  'createTemplate.components[]/buttons[]/signature_hash': withCodeButton({ otp_type: 'ONE_TAP', ...androidApp }),
  'createTemplate.components[]/buttons[]/supported_apps': withCodeButton({ otp_type: 'ONE_TAP', supported_apps: [androidApp] }),
  'createTemplate.components[]/buttons[]/zero_tap_terms_accepted': withCodeButton({
    otp_type: 'ZERO_TAP',
    zero_tap_terms_accepted: true,
    supported_apps: [androidApp],
  }),
  'updateCompanySettings.settings/strict_fields': { settings: { strict_fields: false } },
  'updateCompanySettings.settings/default_country': { settings: { default_country: 'DE' } },
};

export const companionsOf = (operation: string, field: string): Json => {
  const meant = aliases[`${operation}.${field}`] ?? aliases[`*.${field}`];
  const given = Object.entries(companions).filter(([name]) => isOrHolds(name, `${operation}.${field}`));
  return { ...Object.assign({}, ...given.map(([, each]) => each)), ...(meant === undefined ? {} : { [meant]: undefined }) };
};

/** The whole input in place of the field alone, where it goes with others. */
export type Change = (given: Json) => Json;
const whole = (change: Change): Change => change;

const otherFilter = { match: 'any', rules: [{ field: 'city', op: 'eq', value: 'zqmarker' }] };
const otherList = { button: 'zqmarker', sections: [{ rows: [{ id: 'b', title: 'B' }] }] };
const leftOut = (given: Json, ...fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !fields.includes(key)));

/** Values that no schema gives away. */
const special: Readonly<Record<string, readonly unknown[]>> = {
  '*.response_status': [404],
  'createToken.networks': [['203.0.113.0/24']],
  'getRate.phone': ['+33612345678'],
  'getRate.country': ['FR'],
  'getReach.country': ['FR'],
  'createMachineToken.kind': [whole(() => ({ kind: 'erp_token', make_shared_secret: true }))],
  'createMachineToken.shared_secret': ['the-secret-of-a-sender-zqmarker'],
  'addNumber.phone_number_id': ['799999999012345'],
  'addNumber.phone': ['15559876543'],
  'createApp.app_id': ['1060000000000777'],
  // one that the deployment shares
  '*.app_id': [signupAppId],
  '*.version': ['v24.0', 'v25.0'],
  'connectNumber.pin': ['123456'],
  'createSession.request_id': [whole(() => ({ request_id: '00000000-0000-4000-8000-00000000abcd', code: '123456' }))],
  'createSession.code': [whole(() => ({ request_id: '00000000-0000-4000-8000-00000000abcd', code: '123456' }))],
  'listContacts.filter_condition': [JSON.stringify(otherFilter)],
  'bulkSyncContacts.contacts': [[{ phone: '+4915799999991', name: 'zqmarker' }]],
  // a number that is tried otherwise could be that of a contact of other examples, which would be no more
  'mergeContacts.contact_id': [987_654],
  'updateCompanySettings.settings/default_country': ['FR'],
  '*.filter': [otherFilter],
  'createContactJob.all': [whole((given) => ({ ...leftOut(given, 'contact_ids'), all: true }))],
  'createContactJob.segment_id': [whole((given) => ({ ...leftOut(given, 'contact_ids'), segment_id: 987_654 }))],
  'createContactJob.filter': [whole((given) => ({ ...leftOut(given, 'contact_ids'), filter: otherFilter }))],
  'createContactJob.export': [whole((given) => ({ ...leftOut(given, 'change'), export: 'json' }))],
  'createContactJob.change': [{ add_groups: ['zqmarker'] }],
  'sendTextByGet.buttons': ['[{"id":"b","title":"zqmarker"}]'],
  'sendList.action': [otherList],
  'sendListByGet.action': [JSON.stringify(otherList)],
  'sendReaction.emoji': ['🎉'],
  'sendInteractive.interactive/type': ['location_request'],
  'createUpload.content_type': ['image/png'],
  'sendTemplateByGet.variables': ['["zqmarker"]'],
  'sendTemplateByGet.header_variables': ['["zqmarker"]'],
  'updateOrderStatus.status': ['Delivered', 'Cancelled'],
  'listConversationMessages.lastmessagetime': ['2020-01-01 00:00:00'],
  '*.snoozed_until': [new Date(Date.now() + 86_400_000).toISOString()],
  'listConversations.lastmessagetime': ['2036-01-01 00:00:00'],
  'updateShopSettings.quiet_hours': [{ start: '22:00', end: '07:30', timezone: 'Asia/Kolkata' }],
  'updateShopSettings.order_notifications': [{ Shipped: { template_id: 987_654 } }],
  'listVerificationRequests.to': ['2020-01-01T00:00:00Z'],
  'listEvents.types': ['contact.created', 'campaign.*'],
  'listEvents.subject': ['contact:1', 'conversation:1'],
  'replayDeliveries.since': ['2035-01-01T00:00:00Z'],
  'listProducts.status': ['Draft', 'Active'],
  'createProduct.status': ['Draft'],
  'updateProduct.status': ['Draft', 'Active'],
  'updateProduct.currency': ['USD'],
  'listOrders.status': ['Shipped', 'Cancelled'],
  'updateOrder.status': ['Delivered', 'Cancelled'],
  '*.country_id': [356, 250],
  '*.platform_currency': ['CHF'],
  'sendToContact.data': [['zqmarker']],
  'previewAudience.paramvalues': [{ body: { 2: 'zqmarker' } }],
  'previewAudience.parammatch': [{ body: { 1: 'custom.nothing' } }],
};

/** Values to try, likely ones first; `undefined` leaves the field out. */
export const valuesOf = (operation: string, field: string, schema: Json): readonly unknown[] => [
  ...(special[`${operation}.${field}`] ?? []),
  ...(special[`*.${field}`] ?? []),
  undefined,
  ...generated(schema),
];

function generated(schema: Json): unknown[] {
  const ways = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (ways) return ways.flatMap((each) => generated(each));
  if ('const' in schema) return [schema['const']];
  const choices = schema['enum'] as unknown[] | undefined;
  if (choices) return choices;
  const types = [schema['type']].flat();
  if (types.length > 1) return types.flatMap((type) => generated({ ...schema, type }));
  switch (types[0]) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return [1, 2, 7, Number(schema['minimum'] ?? 3), Number(schema['maximum'] ?? 9_999)];
    case 'array':
      return [[], ...generated((schema['items'] ?? {}) as Json).map((each) => [each])];
    case 'object':
      return objects(schema);
    case 'null':
      return [null];
    default:
      return [...texts];
  }
}

function objects(schema: Json): unknown[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  if (properties.length === 0) return [{}, { marker: 'zqmarker' }];
  const all = Object.fromEntries(properties.map(([name, each]) => [name, generated(each)[0]]));
  return [all, ...properties.map(([name, each]) => ({ [name]: generated(each)[0] }))];
}

/** A text that occurs nowhere else, and texts of the forms that fields take. */
const texts: readonly string[] = [
  'zqmarker',
  'zqmarker@example.com',
  '+4915799999999',
  'https://example.com/zqmarker',
  '2027-03-01T09:00:00Z',
  '2027-03-01',
  'Asia/Kolkata',
  '#a1b2c3',
  '1',
  '42',
  '00000000-0000-4000-8000-00000000abcd',
  'INR',
  'de',
  'yes',
  '3600',
];
