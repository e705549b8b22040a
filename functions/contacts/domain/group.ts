/** The form in which names are unique: lower case, Unicode compatibility variants replaced. */
export const normalizedName = (name: string): string => name.normalize('NFKC').toLowerCase().normalize('NFC');

/** The first spelling of each name. */
export const distinctNames = (names: readonly string[]): string[] => {
  const bySpelling = new Map<string, string>();
  for (const name of names) if (!bySpelling.has(normalizedName(name))) bySpelling.set(normalizedName(name), name);
  return [...bySpelling.values()];
};
