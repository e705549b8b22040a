export const maxGroups = 500;
export const maxGroupNameChars = 100;

/** Groups as a request names them (A5): numbers are ids, texts are names. */
export interface NamedGroups {
  ids: readonly number[];
  names: readonly string[];
}

/** Names are one without case and without the several ways Unicode has to write the same letters. */
export const normalizedName = (name: string): string => name.normalize('NFKC').toLowerCase().normalize('NFC');

/** The first spelling of each name. */
export const distinctNames = (names: readonly string[]): string[] => {
  const byFolded = new Map<string, string>();
  for (const name of names) if (!byFolded.has(normalizedName(name))) byFolded.set(normalizedName(name), name);
  return [...byFolded.values()];
};
