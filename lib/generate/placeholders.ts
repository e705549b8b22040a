/**
 * Ids that are drawn at random, so that no sample can name a real one. In a body they have the form that the route wants; the code samples
 * put the variable of the shell in their place.
 */
export const placeholders = {
  profileId: '5f0c7a52-3f9e-4a57-9a52-8d7a0f5f3c11',
  requestId: '0b7e9d14-52a8-4c7b-8f3d-6a1e2c9b4d70',
  loggedRequestId: 'req_01M8KRB33ZG6KBANA8EA1NDK31',
  keyId: '8d2f6c31-9b04-4e6a-a7c5-1f3e5d7b9a02',
  templateId: '3c9a1e58-7d26-4b8f-9e10-5a4c6b8d0f13',
  entryId: 'e4b8d2f6-1a3c-4e5f-8b7d-9c0a2e4f6b18',
  blockId: '9f86d081884c7d659a2feaa0c55ad015',
  messageId: '3765661398783752',
  tokenId: '90417',
  linkCode: 'QF4K2T7XW9B3LM',
  signupState: 'kX2v9QmT4bLw7ZcRfN8sJd3HpYg6UaEe',
  signupCode: 'AQBx3kT9mVw2LqZ7cRfN8sJd',
} as const;

const variables: Readonly<Record<keyof typeof placeholders, string>> = {
  profileId: 'PROFILE_ID',
  requestId: 'REQUEST_ID',
  loggedRequestId: 'LOGGED_REQUEST_ID',
  keyId: 'KEY_ID',
  templateId: 'VERIFICATION_TEMPLATE_ID',
  entryId: 'ENTRY_ID',
  blockId: 'BLOCK_ID',
  messageId: 'MESSAGE_ID',
  tokenId: 'TOKEN_ID',
  linkCode: 'LINK_CODE',
  signupState: 'SIGNUP_STATE',
  signupCode: 'SIGNUP_CODE',
};

/** The text with each placeholder as `write` writes it, given the names of its variable in a shell and in a program. */
export const withVariables = (text: string, write: (inShell: string, inProgram: string) => string): string =>
  Object.entries(placeholders).reduce(
    (filled, [name, value]) => filled.replaceAll(value, write(variables[name as keyof typeof placeholders], name)),
    text,
  );
