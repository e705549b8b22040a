/** What the provider takes as the sample of a media header: types of files by the header's format. */
export const sampleTypes: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

export const maxSampleBytes = 16 * 1024 * 1024;
