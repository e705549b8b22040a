/** Where the dialog of the provider is from: its script, and the origins that its window posts from and its frames are of. https://developers.facebook.com/docs/javascript/quickstart */
export const providerDialog = {
  scriptUrl: 'https://connect.facebook.net/en_US/sdk.js',
  origins: ['https://www.facebook.com', 'https://web.facebook.com'],
} as const;
