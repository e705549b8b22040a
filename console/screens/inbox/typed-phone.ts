/** Digits of a phone number with country code, where that is what was typed: 7 to 15 of them, perhaps with +, 00 and signs between them. */
export const typedPhone = (typed: string): string | undefined => {
  const text = typed.trim();
  if (!/^\+?[\d\s()./-]+$/.test(text)) return undefined;
  const digits = text.replace(/\D/g, '').replace(/^00/, '');
  return digits.length >= 7 && digits.length <= 15 && !digits.startsWith('0') ? digits : undefined;
};
