import { getCart } from '../store/cart.ts';

/** Whose cart it is, for the webhook of an abandoned one: events carry no personal data. A cart that was erased has no customer. 1 RRU. */
export const getCartCustomer = async (companyId: number, key: string) => {
  const cart = await getCart(companyId, key);
  return {
    customer_name: cart?.name ?? null,
    customer_phone: cart?.phone ?? null,
    customer_email: cart?.email ?? null,
    cart_url: cart?.url ?? null,
  };
};
