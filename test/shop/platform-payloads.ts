/** Payloads of the store platform, with the fields that the product reads. */
export const productPayload = (id: number | string, at: string, more: object = {}) => ({
  id,
  title: 'Tee',
  status: 'active',
  updated_at: at,
  variants: [{ price: '19.99', compare_at_price: '24.99', inventory_quantity: 7, sku: 'S' }],
  images: [{ src: 'https://cdn.example.com/a.png' }],
  ...more,
});

export const orderPayload = (id: number | string, at: string, more: object = {}) => ({
  id,
  name: `#${id}`,
  currency: 'USD',
  total_price: '10.00',
  financial_status: 'pending',
  updated_at: at,
  line_items: [{ id: 1, title: 'Tee', quantity: 1, price: '10.00' }],
  ...more,
});

export const cartPayload = (token: string, phone: string, at: string, more: object = {}) => ({
  token,
  cart_token: `cart-${token}`,
  phone: `+${phone}`,
  email: 'Mia@example.com',
  currency: 'USD',
  total_price: '12.00',
  abandoned_checkout_url: `https://shop.example/c/${token}`,
  updated_at: at,
  customer: { first_name: 'Mia' },
  line_items: [{ title: 'Tee' }],
  ...more,
});
