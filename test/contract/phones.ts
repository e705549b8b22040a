let phones = 0;
/** A phone that no example had before. */
export const newPhone = (): string => `+4915120${String(++phones).padStart(6, '0')}`;
