/** Settings arrive as environment variables; a missing one is a deployment mistake and stops the function at its first use. */
export const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

export const optionalSetting = (name: string): string | undefined => process.env[name] || undefined;
