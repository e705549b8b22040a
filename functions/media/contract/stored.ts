import * as z from 'zod';

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The file of a message, a campaign or a template: a link that the caller gave, or an object in our bucket (`key`). */
export const storedMedia = z.object({
  kind: z.enum(mediaKinds),
  url: z.string().optional(),
  key: z.string().optional(),
  mime: z.string().optional(),
  size: z.int().optional(),
  sha256: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  /** The provider's id of the file; that of an inbound file is valid for seven days. */
  providerId: z.string().optional(),
});
export type StoredMedia = z.output<typeof storedMedia>;

/** In the words of errors. */
export const acceptedKinds = 'jpeg, png, webp (a sticker), mp4, 3gp, aac, amr, mp3, m4a, ogg, pdf, txt and office documents';

/** The file name at the end of a URL: documents are shown with it. */
export const nameInUrl = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).slice(0, 240) || undefined;
  } catch {
    return last.slice(0, 240) || undefined;
  }
};
