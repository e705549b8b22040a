export const en = {
  picture: 'Picture',
  previous: 'Previous picture',
  next: 'Next picture',
  original: 'Open the file',
  place: (nth: number, all: number) => `${nth} of ${all}`,
} as const;
