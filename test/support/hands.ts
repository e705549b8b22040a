import type { Locator, Page } from 'playwright-core';

/**
 * What a user does on a page, by the names that are read there.
 *
 * @param page the page of a walk, which is opened before its first test
 */
export const handsOn = (page: () => Page) => {
  /** The open dialog, or the one of a name. */
  const dialog = (name?: string): Locator => page().getByRole('dialog', name === undefined ? {} : { name });
  return {
    dialog,
    /** A field of the page or a part of it. */
    field: (name: string, within: Page | Locator = page()): Locator => within.getByLabel(name, { exact: true }),
    press: (name: string, within: Page | Locator = page()): Promise<void> =>
      within.getByRole('button', { name, exact: true }).first().click(),
  };
};
