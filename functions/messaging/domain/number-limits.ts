/**
 * The provider's limits of what customers see of a number: characters of each text, and how many texts there may be.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-profiles and its neighbours
 */
export const mostOfNumber = {
  about: 139,
  address: 256,
  description: 512,
  email: 128,
  websites: 2,
  website: 256,
  username: 35,
  linkMessage: 140,
  iceBreakers: 4,
  iceBreaker: 80,
  commands: 30,
  commandName: 32,
  commandDescription: 256,
} as const;

/** What follows the slash of a command. */
export const commandNamePattern = /^[^\s/]+$/;
