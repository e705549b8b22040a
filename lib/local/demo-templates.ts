const pickCard = (text: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::pick'] } },
    { type: 'BODY', text, example: { body_text: [['you']] } },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Look', url: 'https://garden.example/{{1}}', example: ['roses'] },
        { type: 'QUICK_REPLY', text: 'Put it aside' },
      ],
    },
  ],
});

/** The templates that the provider has approved for each demo company, in the provider's own form. */
export const demoTemplates = [
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hello! This message shows that your number can send.' }],
  },
  {
    name: 'order_update',
    language: 'en',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} has shipped.', example: { body_text: [['Ada', 'A-1001']] } }],
  },
  {
    name: 'spring_sale',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hi {{1}}, our sale starts today.', example: { body_text: [['Ada']] } }],
  },
  {
    name: 'verification_code',
    language: 'en',
    category: 'AUTHENTICATION',
    status: 'APPROVED',
    components: [
      {
        type: 'BODY',
        text: '*{{1}}* is your verification code. For your security, do not share this code.',
        add_security_recommendation: true,
        example: { body_text: [['123456']] },
      },
      { type: 'FOOTER', text: 'This code expires in 10 minutes.', code_expiration_minutes: 10 },
      // the provider keeps the copy-code button as a URL button, and the code is sent to it as its parameter
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            otp_type: 'COPY_CODE',
            text: 'Copy code',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
            example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456'],
          },
        ],
      },
    ],
  },
  {
    name: 'garden_picks',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [
      { type: 'BODY', text: 'Hi {{1}}, our picks of the week:', example: { body_text: [['Ada']] } },
      { type: 'CAROUSEL', cards: [pickCard('Roses for {{1}}'), pickCard('Herbs for {{1}}')] },
    ],
  },
  {
    name: 'weekend_offer',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::weekend'] } },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'This weekend', has_expiration: true } },
      { type: 'BODY', text: 'Hi {{1}}, a quarter off all pots.', example: { body_text: [['Ada']] } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', example: 'POTS25' },
          { type: 'URL', text: 'To the pots', url: 'https://garden.example/pots?for={{1}}', example: ['ada'] },
        ],
      },
    ],
  },
  {
    name: 'whole_catalog',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [
      { type: 'BODY', text: 'All that grows with us.' },
      { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View catalog' }] },
    ],
  },
  {
    name: 'new_arrivals',
    language: 'en',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'New with us' },
      { type: 'BODY', text: 'Hi {{1}}, they came today.', example: { body_text: [['Ada']] } },
      { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View items' }] },
    ],
  },
] as const;
