/** One-click (decision V23): the text that the person sends, and how its reference is found again. */
export const oneClickText = (reference: string): string => `Verify ${reference}`;

/** Ten characters of the reference's alphabet, standing alone. */
const pattern = /(?<![A-Za-z0-9])[A-HJ-NP-Z2-9]{10}(?![A-Za-z0-9])/g;

/** What in a text may be a reference; people write around it what they like. */
export const referencesIn = (text: string): string[] => [...text.slice(0, 1_000).matchAll(pattern)].map(([found]) => found).slice(0, 5);

/** The links that open the conversation with the text in it: of the app, and of every device. */
export const oneClickLinks = (botPhone: string, reference: string): { intent_url: string; universal_url: string } => {
  const text = encodeURIComponent(oneClickText(reference));
  return { intent_url: `whatsapp://send?phone=${botPhone}&text=${text}`, universal_url: `https://wa.me/${botPhone}?text=${text}` };
};
