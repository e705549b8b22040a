import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartProblem } from './data-folder.ts';

/** The platforms for which the DynamoDB emulator is published, as `process.platform` and `process.arch` name them. */
export const emulatorPlatforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'] as const;

/**
 * The DynamoDB emulator's program: the one that `DYNOXIDE_BIN` names, or the one in the package of this platform, an optional dependency.
 *
 * @throws StartProblem that says what to do where there is neither
 */
export const emulatorProgram = (platform = `${process.platform}-${process.arch}`, chosen = process.env['DYNOXIDE_BIN']): string => {
  if (chosen) {
    if (existsSync(chosen)) return chosen;
    throw new StartProblem(`DYNOXIDE_BIN names ${chosen}, which does not exist.`);
  }
  const program = programOf(platform);
  if (program !== undefined) return program;
  throw new StartProblem(
    emulatorPlatforms.some((each) => each === platform)
      ? `The DynamoDB emulator for this platform (@dynoxide/${platform}) is not installed. Run "npm ci" on this platform, without --omit=optional.`
      : `There is no DynamoDB emulator for ${platform}: it is published for ${emulatorPlatforms.join(', ')}. Build dynoxide 1.2.1 from https://github.com/nubo-db/dynoxide and name its binary in DYNOXIDE_BIN.`,
  );
};

function programOf(platform: string): string | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`));
    return ['dynoxide', 'dynoxide.exe'].map((name) => join(folder, name)).find((path) => existsSync(path));
  } catch {
    // the package is not there
    return undefined;
  }
}
