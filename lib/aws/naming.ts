/** A construct's id from a declared name: `contacts-http` and `url` make `ContactsHttpUrl`. */
export const idOf = (...names: readonly string[]): string =>
  names
    .flatMap((name) => name.split('-'))
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

/** The output with the URL of a function that receives webhooks. */
export const receiverOutput = (functionName: string): string => idOf(functionName, 'base');

/** The output with the bucket of a site. */
export const siteBucketOutput = (siteName: string): string => idOf(siteName, 'site', 'bucket', 'name');

/** The output that says which build of a site belongs to the functions of this deployment. */
export const siteBuildOutput = (siteName: string): string => idOf(siteName, 'site', 'build');

/** The output with what the stack reserves of the account's concurrency, for the next deploy. */
export const reservedOutput = 'ReservedConcurrency';

/** Where a deployed stack stores its settings, for the next deploy to compare. */
export const settingsParameter = (stackName: string): string => `/switchboard/${stackName}/settings`;
