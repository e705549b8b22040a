/** How long a deleted contact is kept, and can be restored. */
export const purgeAfterDays = 30;
