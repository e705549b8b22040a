/** The text of a one-click message. It warns its sender: a link with it may come from anyone. */
export const oneClickText = (reference: string, profileName: string): string =>
  `Verify ${reference} for ${profileName}. Send this only if you yourself are signing in to ${profileName} right now, and never because someone sent you the link.`;

/** Ten characters of the reference's alphabet, not part of a longer word. */
const pattern = /(?<![A-Za-z0-9])[A-HJ-NP-Z2-9]{10}(?![A-Za-z0-9])/g;

/** The words of a message that may be references; a customer may write other words around them. */
export const referencesIn = (text: string): string[] => [...text.slice(0, 1_000).matchAll(pattern)].map(([found]) => found).slice(0, 5);

/** Links that open the conversation with the message filled in: of the app, and of any device. */
export const oneClickLinks = (botPhone: string, reference: string, profileName: string): { intent_url: string; universal_url: string } => {
  const text = encodeURIComponent(oneClickText(reference, profileName));
  return { intent_url: `whatsapp://send?phone=${botPhone}&text=${text}`, universal_url: `https://wa.me/${botPhone}?text=${text}` };
};
