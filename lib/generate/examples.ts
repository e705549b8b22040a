import { placeholders } from './placeholders.ts';

const { profileId, requestId, keyId, templateId, entryId, messageId, tokenId } = placeholders;

const segmentFilter = {
  match: 'all',
  rules: [
    { field: 'city', op: 'eq', value: 'Berlin' },
    { field: 'subscribed', op: 'eq', value: true },
  ],
};

const interactiveExample = (
  message: string,
  interactive: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  phone: '+4915123456789',
  message,
  ...more,
  interactive,
});
const flowExample = interactiveExample('When would you like to come?', {
  type: 'flow',
  flow_id: '1234567890',
  button: 'Book a table',
  screen: 'WELCOME',
});
const catalog_id = '194836987003835';

const textExample = (fields: Readonly<Record<string, unknown>>) => ({ phone: '+4915123456789', ...fields });
const fileExample = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  textExample({ media_url: `https://example.com/${name}`, ...more });

const orderUpdate = {
  phone: '+4915123456789',
  template_name: 'order_update',
  template_language: 'en',
  components: [
    {
      type: 'body',
      parameters: [
        { type: 'text', text: 'Ada' },
        { type: 'text', text: 'A-1001' },
      ],
    },
  ],
};

const templateExample = (template_name: string, components: readonly unknown[]) => ({
  phone: '+4915123456789',
  template_name,
  template_language: 'en',
  components,
});
const bodyWith = (text: string) => ({ type: 'body', parameters: [{ type: 'text', text }] });
const picture = (name: string) => ({
  type: 'header',
  parameters: [{ type: 'image', image: { link: `https://example.com/${name}.jpg` } }],
});
const linkEnd = (index: string, text: string) => ({ type: 'button', sub_type: 'url', index, parameters: [{ type: 'text', text }] });
const catalogItems = { title: 'Pots', product_ids: ['pot-20', 'pot-30'] };

const campaignExample = (template_id: number, more: Readonly<Record<string, unknown>>) => ({
  name: 'Spring sale',
  template_id,
  group_id: 1,
  parammatch: { 1: 'name' },
  paramvalues: { 1: 'you' },
  ...more,
});

/** The bodies of operations that take several kinds, one of each, by a name that says which. */
export const bodiesByKind: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>> = {
  sendText: {
    text: textExample({ message: 'Hello Ada, your order is on its way.' }),
    image: fileExample('roses.jpg', { message: 'Your roses' }),
    video: fileExample('planting.mp4'),
    document: fileExample('care.pdf'),
    audio: fileExample('greeting.mp3'),
    voice: fileExample('greeting.ogg', { voice: true }),
    sticker: fileExample('thanks.webp'),
    buttons: textExample({ message: 'Shall we bring it?', buttons: [{ title: 'Yes' }, { title: 'I collect it' }] }),
    link: textExample({ message: 'Follow your order:', button_name: 'Follow', button_url: 'https://example.com/orders/A-1001' }),
  },
  sendTemplate: {
    template: orderUpdate,
    carousel: templateExample('garden_picks', [
      bodyWith('Ada'),
      {
        type: 'carousel',
        cards: ['roses', 'herbs'].map((name, card_index) => ({
          card_index,
          components: [picture(name), bodyWith('your balcony'), linkEnd('0', name)],
        })),
      },
    ]),
    offer: templateExample('weekend_offer', [
      picture('pots'),
      bodyWith('Ada'),
      {
        type: 'limited_time_offer',
        parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_803_924_000_000 } }],
      },
      { type: 'button', sub_type: 'copy_code', index: '0', parameters: [{ type: 'coupon_code', coupon_code: 'POTS25' }] },
      linkEnd('1', 'ada'),
    ]),
    catalog: templateExample('whole_catalog', []),
    products: templateExample('new_arrivals', [
      bodyWith('Ada'),
      {
        type: 'button',
        sub_type: 'mpm',
        index: '0',
        parameters: [
          {
            type: 'action',
            action: {
              thumbnail_product_retailer_id: 'pot-20',
              sections: [{ title: 'Pots', product_items: [{ product_retailer_id: 'pot-20' }, { product_retailer_id: 'pot-30' }] }],
            },
          },
        ],
      },
    ]),
  },
  createCampaign: {
    template: campaignExample(3, {}),
    carousel: campaignExample(5, {
      name: 'Picks of the week',
      parammatch: { body: { 1: 'name' } },
      paramvalues: {
        body: { 1: 'you' },
        cards: ['roses', 'herbs'].map((name) => ({
          header: { link: `https://example.com/${name}.jpg` },
          body: { 1: 'your balcony' },
          buttons: { 0: name },
        })),
      },
    }),
    offer: campaignExample(6, {
      name: 'Pots this weekend',
      media_url: 'https://example.com/pots.jpg',
      paramvalues: { body: { 1: 'you' }, buttons: { 0: 'POTS25', 1: 'campaign' } },
      offer_ends_at: '2027-03-01T18:00:00Z',
    }),
    catalog: campaignExample(7, { name: 'Catalog', parammatch: {}, paramvalues: {} }),
    products: campaignExample(8, { name: 'New with us', products: { sections: [catalogItems] } }),
  },
  sendInteractive: {
    flow: flowExample,
    location_request: interactiveExample('Where shall we bring it?', { type: 'location_request' }),
    contact_request: interactiveExample('Which number may we call?', { type: 'contact_request' }),
    product: interactiveExample('Fresh today:', { type: 'product', catalog_id, product_id: 'rye-bread' }),
    product_list: interactiveExample(
      'Fresh today:',
      { type: 'product_list', catalog_id, sections: [{ title: 'Bread', product_ids: ['rye-bread', 'spelt-bread'] }] },
      { header: 'Our bread' },
    ),
    catalog: interactiveExample('All that we bake.', { type: 'catalog', thumbnail_product_id: 'rye-bread' }),
    address: interactiveExample('Where do you live?', {
      type: 'address',
      country: 'IN',
      values: { name: 'Asha', in_pin_code: '400063' },
    }),
    carousel: interactiveExample('Our bread of the week.', {
      type: 'carousel',
      cards: ['rye', 'spelt'].map((name) => ({
        image: `https://example.com/${name}.jpg`,
        message: `A loaf of ${name} bread`,
        button_name: 'Buy',
        button_url: `https://example.com/${name}`,
      })),
    }),
  },
};

/**
 * The requests that the reference shows, by operation: bodies under its name, queries with a question mark, path parameters with braces.
 * Each is checked against its route when the document is made, and runs on the demo companies, where the ids of records begin at 1.
 */
export const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createConversationNote: { body: 'Wants an offer for two.' },
  updateConversationNote: { body: 'Wants an offer for three.' },
  'setCannedReply{}': { shortcut: 'hours' },
  setCannedReply: { text: 'We are here from 9 to 17.' },
  'deleteCannedReply{}': { shortcut: 'hours' },
  updateCompanySettings: { timezone: 'Europe/Berlin', settings: { window_policy: 'enforce', task_reminder_minutes: 30 } },
  createUser: { name: 'Grace Hopper', email: 'grace@garden.example', role: 'member' },
  'updateUser{}': { id: '4' },
  updateUser: { role: 'member' },
  replayDeliveries: { since: '2026-11-23T08:00:00Z' },
  signOutEverywhere: { made_since: '2026-11-23T08:00:00Z' },
  createSignInCode: { email: 'owner@company-1.example' },
  createSession: { token: 'swb_...' },
  createPasskey: { name: 'My phone', credential: { id: 'aWQ', response: { clientDataJSON: 'e30', attestationObject: 'oA' } } },
  signInWithPasskey: {
    credential: { id: 'aWQ', response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'MAA', userHandle: 'MS4x' } },
  },
  createToken: { name: 'till sync', scopes: ['contacts:read', 'contacts:write'], networks: ['203.0.113.0/24'], life_days: 90 },
  rotateToken: { overlap_hours: 0 },
  createMachineToken: { kind: 'webhook_token', receiver: 'webshop', make_shared_secret: true },
  // of the demo's: its users' tokens are 1 to 4, the ERP's is 5
  'updateMachineToken{}': { id: '6' },
  'rotateMachineToken{}': { id: '6' },
  'revokeMachineToken{}': { id: '6' },
  updateMachineToken: { shared_secret: 'a secret of the sender' },
  rotateMachineToken: { overlap_hours: 24 },
  addNumber: {
    phone: '+1 555 010 0003',
    phone_number_id: '106540352242922',
    waba_id: '102290129340398',
    access_token: 'the access token of the provider app',
    app_secret: 'the app secret of the provider app',
  },
  setNumberUsername: { username: 'garden.berlin' },
  updateNumberAutomation: {
    ice_breakers: ['When are you open?', 'Where is my order?'],
    commands: [{ name: 'hours', description: 'When we are open' }],
  },
  createApp: { app_id: '1045678901234567', app_secret: 'the secret of the app', name: 'Our app' },
  'getApp{}': { app_id: '1045678901234567' },
  'rotateAppSecret{}': { app_id: '1045678901234567' },
  rotateAppSecret: { app_secret: 'the new secret of the app' },
  'deleteApp{}': { app_id: '1045678901234567' },
  updateNumber: { rate: 250, is_default: true },
  rotateNumberSecrets: { access_token: 'the new access token' },
  connectNumber: { pin: '482916' },
  completeSignup: { state: placeholders.signupState, code: placeholders.signupCode },
  mergeContacts: { contact_id: 2 },
  createContact: {
    phone: '+4915123456789',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    groups: [1],
    tags: [1],
    fields: { birthday: '1990-12-10' },
  },
  replaceContact: { phone: '+4915123456789', name: 'Ada King', subscribed: true },
  updateContact: { add_groups: ['Newsletter'], remove_tags: [1] },
  bulkSyncContacts: {
    contacts: [
      { phone: '+4915123456789', name: 'Ada Lovelace' },
      { phone: '+4915123456790', name: 'Grace Hopper' },
    ],
  },
  createGroup: { name: 'Newsletter' },
  updateGroup: { name: 'Regular customers' },
  createTag: { name: 'garden', color: '#2f9e44' },
  updateTag: { name: 'Wholesale' },
  createField: { key: 'customer_since', name: 'Customer since', type: 'date' },
  updateField: { name: 'Date of birth' },
  checkPhone: { phone: '+4915123456789' },
  createImport: { filename: 'contacts.csv', size: 20_480 },
  createContactJob: {
    filter: { match: 'all', rules: [{ field: 'city', op: 'eq', value: 'Berlin' }] },
    change: { add_groups: ['Berlin'] },
  },
  createSegment: { name: 'Berlin, subscribed', filter: segmentFilter },
  updateSegment: { name: 'Berlin', filter: segmentFilter },
  sendText: { phone: '+4915123456789', message: 'Hello Ada, your order is on its way.' },
  'sendTextByGet?': { phone: '+4915123456789', message: 'Hello Ada, your order is on its way.' },
  sendList: {
    phone: '+4915123456789',
    message: 'When shall we come?',
    action: {
      button: 'Choose a time',
      sections: [
        {
          title: 'Tuesday',
          rows: [
            { id: 'tue-9', title: '9:00' },
            { id: 'tue-14', title: '14:00' },
          ],
        },
      ],
    },
  },
  'sendListByGet?': {
    phone: '+4915123456789',
    message: 'When shall we come?',
    action: { button: 'Choose', sections: [{ rows: [{ id: 'tue-9', title: 'Tuesday, 9:00' }] }] },
  },
  sendLocation: {
    phone: '+4915123456789',
    latitude: 52.5163,
    longitude: 13.3777,
    name: 'Brandenburg Gate',
    address: 'Pariser Platz, 10117 Berlin',
  },
  sendContacts: {
    phone: '+4915123456789',
    contacts: [
      {
        name: { formatted_name: 'Grace Hopper', first_name: 'Grace', last_name: 'Hopper' },
        phones: [{ phone: '+49 30 901820', type: 'WORK' }],
        org: { company: 'Garden', title: 'Gardener' },
      },
    ],
  },
  sendInteractive: flowExample,
  sendReaction: { contact_id: 1, message_id: 'wamid.HBgNNDkxNTEyMzQ1Njc4OQ', emoji: '👍' },
  sendTemplate: orderUpdate,
  'sendTemplateByGet?': { phone: '+4915123456789', template_name: 'hello_world', template_language: 'en_US' },
  'listMessages?': { status: 'scheduled' },
  'getMessage{}': { id: messageId },
  'getMessage?': { contact_id: '1' },
  'rescheduleMessage{}': { id: messageId },
  'cancelMessage{}': { id: messageId },
  rescheduleMessage: { scheduled_at: '2026-12-24T18:00:00', timezone: 'Europe/Berlin' },
  createUpload: { filename: 'catalog.pdf', content_type: 'application/pdf', size: 48_213 },
  createTemplate: {
    name: 'appointment_reminder',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: 'Hello {{1}}, see you on {{2}} at our shop.', example: { body_text: [['Ada', 'Tuesday at 9:00']] } },
    ],
  },
  updateTemplate: {
    components: [
      { type: 'BODY', text: 'Hello {{1}}, we expect you on {{2}} at our shop.', example: { body_text: [['Ada', 'Tuesday at 9:00']] } },
    ],
  },
  'listTemplateLibrary?': { search: 'delivery', language: 'en_US' },
  renderTemplate: { contact_id: 1, parammatch: { 1: 'name' }, paramvalues: { 2: 'Tuesday at 9:00' } },
  'getRate?': { phone: '+4915123456789', category: 'marketing', currency: 'EUR' },
  'listRates?': { currency: 'EUR' },
  setWeeklySummary: { enabled: true, language: 'de' },
  setCeilings: { currency: 'EUR', day: '200', month: '3000', code_reserve_percent: 10 },
  // of a token with named scopes
  'setTokenCeiling{}': { id: tokenId },
  'deleteTokenCeiling{}': { id: tokenId },
  setTokenCeiling: { messages: 500, spend: { amount: '20', currency: 'EUR' } },
  setRates: {
    currency: 'EUR',
    effective_from: '2026-10-01',
    source: 'Contract 17',
    markets: [
      {
        market: 'Germany',
        countries: ['DE'],
        marketing: '0.1131',
        utility: [
          { from: 0, price: '0.0456' },
          { from: 50_001, price: '0.0433' },
        ],
        authentication: '0.0456',
        authentication_international: null,
        service: '0.0456',
      },
    ],
  },
  setKeywords: { stop: ['stop', 'unsubscribe'], start: ['start'] },
  bulkUpdateConversations: { ids: [1], status: 'closed', assigned_to: 1 },
  updateConversation: { status: 'closed' },
  previewAudience: { audience_type: 'group', group_id: 1, template_id: 3, parammatch: { 1: 'name' } },
  createCampaign: campaignExample(3, {}),
  updateCampaign: { name: 'Spring sale, first round' },
  cloneCampaign: { name: 'Spring sale, second round', send_now: true },
  sendTestMessage: { phone: '+4915123456789', template_id: 2, paramvalues: { 1: 'Ada', 2: 'A-1042' } },
  sendToContact: { phone: '+4915123456790', campaign_id: 1, data: { 1: 'Grace' } },
  createPipeline: { name: 'Roofs', template: 'sales' },
  'getBoard?': { pipeline_id: 1 },
  createLead: {
    contact_id: 1,
    pipeline_id: 1,
    title: 'A new roof',
    value: 12_500,
    currency: 'EUR',
    creation_key: '2b7c4e90-6f1d-4a83-9c5e-0d8f2a6b4c17',
  },
  updateLead: { version: 1, title: 'A new roof and two windows' },
  moveLead: { version: 2, stage_id: 2 },
  updatePipeline: { name: 'Roofs and gutters' },
  updateNote: { body: 'Asks for an offer by Thursday.' },
  createNote: { body: 'Asks for an offer by Friday.' },
  createTask: { title: 'Call back', due_at: '2027-02-01T09:00:00+01:00', timezone: 'Europe/Berlin' },
  updateTask: { version: 1, due_at: '2027-02-02T09:00:00+01:00' },
  completeTask: { version: 2, outcome_notes: 'Agreed on Tuesday at 9.' },
  'cancelTask{}': { id: '1', task_id: '2' },
  cancelTask: { version: 1, cancellation_reason: 'The customer moved away.' },
  replacePreferences: { work_number: '+4915123456700', opted_in: true, notify_tasks: true },
  createCategory: { name: 'Kitchen', slug: 'kitchen' },
  updateCategory: { name: 'Garden and balcony' },
  createProduct: { name: 'Teapot', price: '34.00', currency: 'EUR', stock_quantity: 12, status: 'Active' },
  updateProduct: { price: '17.90', compare_at_price: '19.90' },
  updateOrder: { status: 'Fulfilled', customer_phone: '+4915123456789', items: [{ name: 'Watering can', quantity: 1, price: '19.90' }] },
  updateOrderStatus: { status: 'Fulfilled', tracking_number: '00340434161094042557' },
  updateShopSettings: {
    abandoned_cart: { enabled: true, delay_minutes: 30, template_id: 3, parammatch: { 1: 'customer_name' }, paramvalues: { 1: 'you' } },
  },
  createWebhook: { url: 'https://example.com/switchboard', events: ['message.received', 'order.*'] },
  updateWebhook: { events: ['message.*'] },
  'resendDelivery{}': { id: '1', delivery_id: 'evt_01JD7Z3M5Q8V9X2B4C6D8F0G1H' },
  requestVerification: { identifier: '+4915123456789', purpose: 'login' },
  verifyCode: { request_id: requestId, code: '481516' },
  'getVerificationStatus{}': { request_id: requestId },
  resendCode: { request_id: requestId },
  'openMagicLink{}': { request_id: requestId, token: '$MAGIC_TOKEN' },
  'confirmMagicLink{}': { request_id: requestId, token: '$MAGIC_TOKEN' },
  createVerificationProfile: { name: 'Checkout', settings_json: { otp: { length: 6, expiry_seconds: 300 } } },
  'getVerificationProfile{}': { profile_id: profileId },
  'updateVerificationProfile{}': { profile_id: profileId },
  updateVerificationProfile: { settings_json: { otp: { max_attempts: 5 } } },
  'revokeTrust{}': { profile_id: profileId },
  revokeTrust: { identifier: '+4915123456789' },
  'listVerificationKeys{}': { profile_id: profileId },
  'createVerificationKey{}': { profile_id: profileId },
  createVerificationKey: { name: 'Mobile app' },
  'rotateVerificationKey{}': { id: keyId },
  'deactivateVerificationKey{}': { id: keyId },
  createVerificationTemplate: { profile_id: profileId, channel: 'whatsapp', provider_template: 'verification_code' },
  'updateVerificationTemplate{}': { id: templateId },
  'deleteVerificationTemplate{}': { id: templateId },
  createVerificationWhitelist: { profile_id: profileId, kind: 'domain', value: 'partner.example' },
  'deleteVerificationWhitelist{}': { id: entryId },
  'updateNumberLink{}': { id: '1', code: placeholders.linkCode },
  'deleteNumberLink{}': { id: '1', code: placeholders.linkCode },
  'deleteVerificationBlock{}': { id: placeholders.blockId },
  'receiveCustom{}': { erp_token: '$ERP_TOKEN' },
};
