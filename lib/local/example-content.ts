/** What the third demo company is made of: a shop for furniture, with customers of many languages. All names and numbers are invented. */

export interface Customer {
  /** Digits with country code. */
  phone: string;
  name: string;
  email: string;
  city: string;
  tags: readonly ('VIP' | 'Wholesale' | 'Complaint')[];
}

const customer = (phone: string, name: string, city: string, ...tags: Customer['tags']): Customer => ({
  phone,
  name,
  email: `${name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .trim()
    .replaceAll(/ +/g, '.')}@mail.example`,
  city,
  tags,
});

const lucia = customer('34612345601', 'Lucía Fernández', 'Valencia');
const jonas = customer('4915123450102', 'Jonas Weber', 'Hamburg', 'Complaint');
const priya = customer('919876543203', 'Priya Sharma', 'Pune', 'VIP');
const omar = customer('201001234504', 'Omar Hassan', 'Cairo');
const emma = customer('447400123405', 'Emma Clarke', 'Leeds');
const mateo = customer('393471234506', 'Matteo Rossi', 'Torino');
const yuki = customer('819012345607', 'Yuki Tanaka', 'Osaka', 'Wholesale');
const ana = customer('5511912345608', 'Ana Souza', 'São Paulo');
const liam = customer('353851234509', "Liam O'Connor", 'Galway', 'VIP');
const maximiliane = customer('4915123450110', 'Maximiliane Freifrau von Hohenstein-Rothenburg', 'Bad Homburg');
const chloe = customer('33612345611', 'Chloé Martin', 'Lyon');
const noah = customer('12025550112', 'Noah Williams', 'Portland', 'Wholesale');
const sofia = customer('351912345613', 'Sofia Almeida', 'Porto');
const ingrid = customer('4791234514', 'Ingrid Haugen', 'Bergen', 'VIP');

export const customers: readonly Customer[] = [
  lucia,
  jonas,
  priya,
  omar,
  emma,
  mateo,
  yuki,
  ana,
  liam,
  maximiliane,
  chloe,
  noah,
  sofia,
  ingrid,
];

/** People who only get the newsletter. */
export const subscribers: readonly { phone: string; name: string }[] = [
  'Amelie Dubois',
  'Ben Novak',
  'Carla Méndez',
  'Daniel Okafor',
  'Elif Yılmaz',
  'Felix Braun',
  'Grace Kim',
  'Hugo Lindberg',
  'Isabel Torres',
  'Jakub Kowalski',
  'Katrin Vogel',
  'Leo Fontana',
  'Maya Cohen',
  'Nils Berg',
  'Olivia Hughes',
  'Pavel Dvořák',
].map((name, index) => ({ phone: `4915123451${String(100 + index)}`, name }));

/** What happens in a conversation, in order. */
export type Step =
  | { customer: Record<string, unknown>; minutesAgo?: number }
  | { reply: string }
  | { later: string }
  | { template: readonly [name: string, order: string] }
  | { note: string }
  | { assign: 'owner' | 'admin' | 'member' }
  | { isRead: true }
  | { isClosed: true };

const text = (body: string, minutesAgo = 0): Step => ({ customer: { type: 'text', text: body }, minutesAgo });

export const conversations: readonly { with: string; steps: readonly Step[] }[] = [
  {
    with: ana.phone,
    steps: [text('Oi! A luminária ainda está disponível?', 26 * 60), { isRead: true }, { reply: 'Olá Ana! Sim, temos três em estoque.' }],
  },
  {
    with: ingrid.phone,
    steps: [
      text('Hei! The wool rug arrived today, it is beautiful.', 190),
      { isRead: true },
      { reply: 'Thank you, Ingrid! Enjoy it, and send us a picture if you like.' },
      { customer: { type: 'image', media: { kind: 'image', caption: 'Here it is 😊' } } },
      { isRead: true },
      { isClosed: true },
    ],
  },
  {
    with: priya.phone,
    steps: [
      text('Hi! Order C-1043 still says *packed*. When will it ship?', 95),
      { isRead: true },
      { template: ['Priya', 'C-1043'] },
      text('Just got the tracking link, thank you! 🙏'),
      { isRead: true },
      { assign: 'member' },
    ],
  },
  {
    with: jonas.phone,
    steps: [
      text('Guten Tag, der Tisch kam heute an.', 80),
      { customer: { type: 'image', media: { kind: 'image', caption: 'Leider hat ein Bein einen Kratzer.' } }, minutesAgo: 79 },
      text('Können Sie das Bein austauschen?', 78),
      { isRead: true },
      { assign: 'member' },
      { note: 'Replacement leg is in stock (shelf 14). Offer to send it, or 10 % off.' },
      { reply: 'Das tut uns leid, Herr Weber. Wir schicken Ihnen morgen ein neues Bein, ohne Kosten.' },
      { later: 'Ihr neues Tischbein ist unterwegs. Passt alles?' },
    ],
  },
  {
    with: yuki.phone,
    steps: [{ customer: { type: 'document', media: { kind: 'document', filename: 'Order 2026-11.pdf' } }, minutesAgo: 70 }],
  },
  {
    with: liam.phone,
    steps: [
      text('Do you deliver to the islands?', 64),
      { isRead: true },
      { reply: 'We do, by ferry on Tuesdays and Fridays.' },
      text('Grand, Friday suits me.'),
      { assign: 'admin' },
    ],
  },
  { with: mateo.phone, steps: [{ customer: { type: 'voice' }, minutesAgo: 47 }] },
  {
    with: emma.phone,
    steps: [
      {
        customer: {
          type: 'location',
          location: { latitude: 53.7997, longitude: -1.5492, name: 'Granary Wharf', address: 'Leeds LS1 4BR' },
        },
        minutesAgo: 41,
      },
      text('Can you deliver here? There is no lift.', 40),
      { isRead: true },
      { assign: 'owner' },
    ],
  },
  {
    with: noah.phone,
    steps: [
      text('Hello, we furnish a small hotel with 24 rooms.', 33),
      text('We need 24 desks and 48 lamps by March.', 32),
      text('Do you give a discount for that?', 31),
    ],
  },
  {
    with: maximiliane.phone,
    steps: [
      text(
        'Sehr geehrte Damen und Herren, ich möchte meine Bestellung um zwei Stühle erweitern und gleichzeitig die Lieferadresse ändern: bitte liefern Sie an die Donaudampfschifffahrtsgesellschaft, Hof 3, Eingang links.',
        24,
      ),
    ],
  },
  { with: sofia.phone, steps: [text('Bom dia! Quero devolver uma cadeira, como faço?', 18), { isRead: true }, { assign: 'admin' }] },
  { with: chloe.phone, steps: [text('Bonjour, livrez-vous à Lyon avant Noël ?', 12)] },
  { with: omar.phone, steps: [text('مرحبا، هل لديكم هذا الكرسي باللون الأخضر؟', 7), text('وكم سعره مع التوصيل؟', 6)] },
  { with: lucia.phone, steps: [text('Hola 👋 ¿El sofá *Nube* llega antes de Navidad?', 3)] },
];

export const cannedReplies = [
  { shortcut: 'hours', text: 'We are here from Monday to Saturday, 9:00 to 18:00.' },
  { shortcut: 'delivery', text: 'We deliver within 5 working days, and call an hour before.' },
  { shortcut: 'returns', text: 'You can return everything within 30 days. We collect large pieces at your door.' },
];

/** As the provider has reviewed them. */
export const exampleTemplates = [
  {
    name: 'back_in_stock',
    language: 'en',
    category: 'MARKETING',
    status: 'REJECTED',
    components: [{ type: 'BODY', text: 'WIN!!! {{1}} is back, buy NOW', example: { body_text: [['The Cloud sofa']] } }],
  },
  {
    name: 'review_request',
    language: 'en',
    category: 'MARKETING',
    status: 'PAUSED',
    components: [{ type: 'BODY', text: 'Hi {{1}}, how do you like your new furniture?', example: { body_text: [['Ada']] } }],
  },
  {
    name: 'delivery_slot',
    language: 'en',
    category: 'UTILITY',
    status: 'PENDING',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Your delivery' },
      { type: 'BODY', text: 'Hi {{1}}, we come on {{2}}. Does it suit you?', example: { body_text: [['Ada', 'Friday']] } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'QUICK_REPLY', text: 'Another day' },
        ],
      },
    ],
  },
] as const;

/** `stage` counts the stages of the pipeline from 0. */
export const leads = [
  { of: noah.phone, title: 'Hotel with 24 rooms', value: 18_400, stage: 2, task: 'Send the offer', inHours: 3 },
  { of: yuki.phone, title: 'Reseller in Osaka', value: 42_000, stage: 3, task: 'Call about freight', inHours: 26 },
  { of: lucia.phone, title: 'Cloud sofa', value: 1_490, stage: 0, task: 'Ask about the colour', inHours: 1 },
  { of: chloe.phone, title: 'Dining table and six chairs', value: 2_380, stage: 1, task: 'Check delivery to Lyon', inHours: 5 },
  { of: emma.phone, title: 'Bookshelf, delivery without lift', value: 640, stage: 1, task: undefined, inHours: 0 },
  { of: liam.phone, title: 'Garden set', value: 980, stage: 2, task: 'Confirm the ferry on Friday', inHours: 50 },
  { of: omar.phone, title: 'Green armchair', value: 520, stage: 0, task: undefined, inHours: 0 },
] as const;

export const products = [
  { external_id: 'SOFA-1', name: 'Cloud sofa', price: '1490.00', currency: 'EUR', stock_quantity: 4 },
  { external_id: 'TABLE-1', name: 'Oak dining table', price: '890.00', currency: 'EUR', stock_quantity: 7 },
  { external_id: 'CHAIR-1', name: 'Oak chair', price: '149.00', currency: 'EUR', stock_quantity: 36 },
  { external_id: 'LAMP-1', name: 'Paper lamp', price: '59.00', currency: 'EUR', stock_quantity: 0 },
  { external_id: 'RUG-1', name: 'Wool rug', price: '320.00', currency: 'EUR', stock_quantity: 12 },
  { external_id: 'DESK-1', name: 'Folding desk', price: '210.00', currency: 'EUR', stock_quantity: 21 },
];

const order = (number: string, { name, phone }: Customer, item: number, quantity: number, status?: string) => {
  const product = products[item];
  const total = (Number(product?.price) * quantity).toFixed(2);
  return {
    placed: {
      order_number: number,
      customer_name: name,
      customer_phone: `+${phone}`,
      total_amount: total,
      currency: 'EUR',
      items: [{ name: product?.name, quantity, price: product?.price }],
    },
    status,
  };
};

export const orders = [
  order('C-1040', ingrid, 4, 1, 'Delivered'),
  order('C-1041', jonas, 1, 1, 'Delivered'),
  order('C-1042', sofia, 2, 4, 'Shipped'),
  order('C-1043', priya, 3, 2, 'Shipped'),
  order('C-1044', maximiliane, 1, 1, 'Processing'),
  order('C-1045', liam, 2, 6),
  order('C-1046', ana, 3, 1, 'Cancelled'),
];

export const carts = [
  { of: lucia, item: 'Cloud sofa', total: '1490.00' },
  { of: chloe, item: 'Oak dining table', total: '890.00' },
];

/** Whether the customer enters the code that arrived, a wrong one, or none. */
export const verifications = [
  { phone: priya.phone, purpose: 'login', enters: 'right' },
  { phone: liam.phone, purpose: 'login', enters: 'right' },
  { phone: ingrid.phone, purpose: 'signup', enters: 'right' },
  { phone: sofia.phone, purpose: 'signup', enters: 'wrong' },
  { phone: noah.phone, purpose: 'login', enters: 'nothing' },
] as const;
