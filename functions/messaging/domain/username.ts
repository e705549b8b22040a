/**
 * Whether a text can be the username of a number, by the provider's rules.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
export const isUsername = (name: string): boolean =>
  /^[a-z0-9._]{3,35}$/.test(name) &&
  /[a-z]/.test(name) &&
  !/^\.|\.$|\.\./.test(name) &&
  !name.startsWith('www') &&
  !/\.(com|org|net|edu|gov|mil|us|in|html)$/.test(name);
