/** Digits as people write a phone: `+4915112345678`. */
export const formatPhone = (digits: string): string => (digits === '' ? '' : `+${digits}`);

/** How a contact is reached: its phone, else its user name or the provider's id of it. */
export const addressOf = (contact: { phone: string; username: string | null; user_id: string | null }): string => {
  if (contact.phone !== '') return formatPhone(contact.phone);
  return contact.username === null ? (contact.user_id ?? '') : `@${contact.username}`;
};
