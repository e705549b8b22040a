/**
 * Bodies (under a name with a question mark queries, with braces path parameters) that the reference shows, where a good one says more than what the schema alone would give. Each is checked against its route
 * when the document is made.
 */
export const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createContact: {
    phone: '+4915123456789',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    groups: [3],
    tags: [7],
    fields: { birthday: '1990-12-10' },
  },
  replaceContact: { phone: '+4915123456789', name: 'Ada King', subscribed: true },
  bulkSyncContacts: {
    contacts: [
      { phone: '+4915123456789', name: 'Ada Lovelace' },
      { phone: '+4915123456790', name: 'Grace Hopper' },
    ],
  },
  createGroup: { name: 'Customers' },
  updateGroup: { name: 'Regular customers' },
  createTag: { name: 'garden', color: '#2f9e44' },
  updateTag: { name: 'garden and balcony' },
  createField: { key: 'birthday', name: 'Birthday', type: 'date' },
  updateField: { name: 'Date of birth' },
  sendText: { phone: '+4915123456789', message: 'Hello Ada, your order is on its way.' },
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
  sendTemplate: {
    phone: '+4915123456789',
    template_name: 'order_shipped',
    template_language: 'en_US',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ada' },
          { type: 'text', text: '#1042' },
        ],
      },
    ],
  },
  createUpload: { filename: 'catalogue.pdf', content_type: 'application/pdf', size: 48_213 },
  createTemplate: {
    name: 'order_shipped',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.', example: { body_text: [['Ada', '#1042']] } }],
  },
  setKeywords: { stop: ['stop', 'unsubscribe'], start: ['start'] },
  updateConversation: { status: 'closed' },
  createCampaign: {
    name: 'Spring sale',
    template_id: 4,
    group_id: 3,
  },
  updateCampaign: { is_active: false },
  createPipeline: { name: 'Roofs', template: 'sales' },
  createLead: {
    contact_id: 1042,
    pipeline_id: 1,
    title: 'A new roof',
    value: 12_500,
    currency: 'EUR',
    creation_key: '5f0c7a52-3f9e-4a57-9a52-8d7a0f5f3c11',
  },
  updateLead: { version: 3, title: 'A new roof and two windows' },
  moveLead: { version: 4, stage_id: 2 },
  createNote: { body: 'Asks for an offer by Friday.' },
  createTask: { title: 'Call back', due_at: '2027-02-01T09:00:00+01:00', timezone: 'Europe/Berlin' },
  updateTask: { version: 1, due_at: '2027-02-02T09:00:00+01:00' },
  completeTask: { version: 2, outcome_notes: 'Agreed on Tuesday at 9.' },
  cancelTask: { version: 2, cancellation_reason: 'The customer moved away.' },
  replacePreferences: { work_number: '+4915123456700', opted_in: true, notify_tasks: true },
  createCategory: { name: 'Garden', slug: 'garden' },
  updateCategory: { name: 'Garden and balcony' },
  createProduct: { name: 'Watering can', price: '19.90', currency: 'EUR', stock_quantity: 12, status: 'Active' },
  updateProduct: { price: '17.90', compare_at_price: '19.90' },
  updateOrder: { status: 'Fulfilled', customer_phone: '+4915123456789', items: [{ name: 'Watering can', quantity: 1, price: '19.90' }] },
  updateOrderStatus: { status: 'Fulfilled', tracking_number: '00340434161094042557' },
  updateShopSettings: { strict_order_transitions: true },
  syncErp: { products: [{ sku: 'CAN-12', name: 'Watering can', price: '19.90', stock_quantity: 12 }] },
  'resendDelivery{}': { id: '3', delivery_id: 'evt_01JD7Z3M5Q8V9X2B4C6D8F0G1H' },
  createVerificationTemplate: { profile_id: '5f0c7a52-3f9e-4a57-9a52-8d7a0f5f3c11', channel: 'whatsapp', provider_template: 'login_code' },
  createVerificationWhitelist: { profile_id: '5f0c7a52-3f9e-4a57-9a52-8d7a0f5f3c11', kind: 'domain', value: 'partner.example' },
  'deleteVerificationBlock{}': { id: '9f86d081884c7d659a2feaa0c55ad015' },
  requestVerification: { identifier: '+4915123456789' },
};
