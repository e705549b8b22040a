/** The text of a one-click message. */
export const oneClickText = (reference: string): string => `Verify ${reference}`;

/** Ten characters of the reference's alphabet, not part of a longer word. */
const pattern = /(?<![A-Za-z0-9])[A-HJ-NP-Z2-9]{10}(?![A-Za-z0-9])/g;

/** The words of a message that may be references; a customer may write other words around them. */
export const referencesIn = (text: string): string[] => [...text.slice(0, 1_000).matchAll(pattern)].map(([found]) => found).slice(0, 5);

/** Links that open the conversation with the message filled in: of the app, and of any device. */
export const oneClickLinks = (botPhone: string, reference: string): { intent_url: string; universal_url: string } => {
  const text = encodeURIComponent(oneClickText(reference));
  return { intent_url: `whatsapp://send?phone=${botPhone}&text=${text}`, universal_url: `https://wa.me/${botPhone}?text=${text}` };
};
