/** What stands for a placeholder of a saved reply. */
export interface ReplyValues {
  name: string | null;
  phone: string;
  agent: string;
}

const names = ['name', 'first_name', 'phone', 'agent'] as const;
type Name = (typeof names)[number];
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

const valueOf = (name: Name, { name: contact, phone, agent }: ReplyValues): string => {
  if (name === 'phone') return phone;
  if (name === 'agent') return agent;
  const whole = contact?.trim() ?? '';
  return name === 'name' ? whole : (whole.split(/\s+/)[0] ?? '');
};

/** A saved reply for a contact. What is not known of them stays as it is written. */
export const filledReply = (text: string, values: ReplyValues): string =>
  text.replace(placeholder, (whole, given: string) => {
    const name = names.find((each) => each === given.toLowerCase());
    return (name && valueOf(name, values)) || whole;
  });

/** Placeholders of saved replies that a text still has: it is not sent with them. */
export const openPlaceholders = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(placeholder)].flatMap(([whole, given = '']) => (names.some((each) => each === given.toLowerCase()) ? whole : [])),
  ),
];
