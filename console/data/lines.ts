/** The entries of a list that is written one a line. */
export const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
