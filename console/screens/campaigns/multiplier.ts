/** What is typed as a multiplier of the max price; undefined: nothing. */
export const multiplierOf = (given: string): number | 'wrong' | undefined => {
  const typed = given.trim().replace(',', '.');
  if (typed === '') return undefined;
  const value = Number(typed);
  return /^\d{1,2}(\.\d{1,2})?$/.test(typed) && value >= 0.1 && value <= 10 ? value : 'wrong';
};
