/**
 * A violation if fewer than `least` (0 to 1) of all have the property: an oracle that accepts failures must not accept a product that fails
 * everything. Small runs are left alone: of ten sends, five may fail by chance.
 */
export const tooFew = (what: string, having: number, of: number, least: number, from = 20): string[] =>
  of >= from && having < of * least ? [`only ${having} of ${of} ${what}, at least ${Math.round(least * 100)} % were expected`] : [];
