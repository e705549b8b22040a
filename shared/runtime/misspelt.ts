/** The name that this one is a misspelling of: in another form (`scheduledAt`), or with a letter too few, too many or wrong; two in long names. */
export const misspelt = (name: string, known: readonly string[]): string | undefined => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  const given = plain(name);
  if (given.length < 4 || given.length > longestName) return undefined;
  const most = given.length < 9 ? 1 : 2;
  const near = known.map((each) => [each, plain(each)] as const).filter(([, each]) => Math.abs(each.length - given.length) <= most);
  return (near.find(([, each]) => each === given) ?? near.find(([, each]) => distance(given, each) <= most))?.[0];
};

const longestName = 60;

/** Letters to add, leave out or change until both are equal. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [nth, letter] of from.split('').entries()) {
    const next = [nth + 1];
    for (const [at, other] of to.split('').entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== other)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
