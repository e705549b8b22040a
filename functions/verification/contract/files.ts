/** Files that the function reads at run time, by their name next to its bundle. */
export const verificationFiles = {
  'data-centres.bin': 'functions/verification/data-centres.bin',
  'disposable.generated.txt': 'functions/verification/disposable.generated.txt',
} as const;
