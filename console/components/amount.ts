/** An amount of money in the reader's language. A customer's order, or a shop's, may name a currency that is none: it is shown as written. */
export const amountText = (tag: string, amount: number, currency: string, options: { maximumFractionDigits?: number } = {}): string =>
  /^[a-z]{3}$/i.test(currency)
    ? new Intl.NumberFormat(tag, { style: 'currency', currency, ...options }).format(amount)
    : `${new Intl.NumberFormat(tag, options).format(amount)} ${currency}`.trim();
