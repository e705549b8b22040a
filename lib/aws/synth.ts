import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Context } from '../../shared/contract/context.ts';
import { bundle } from '../bundle.ts';
import { ensureConsole } from '../console/ensure.ts';
import type { Node } from 'constructs';
import { readSettings, type Settings } from './settings.ts';
import { buildInFolder } from './site-build.ts';
import { buildStack } from './stack.ts';

export interface SynthOptions {
  outDir: string;
  /** Whether CDK validates the template against CloudFormation's schemas, which takes 1.3 of 3 seconds. */
  validate: boolean;
  /** Settings, as `-c name=value` gives them. */
  context?: Record<string, unknown>;
  /** Throws on settings that must not be deployed; before anything is bundled. */
  check?: (settings: Settings, node: Node) => void;
}

/** Bundles every function and builds the CDK app; the caller synthesizes it. Needs no account, network or command line. */
export const buildApp = async (contexts: readonly Context[], { outDir, validate, context = {}, check }: SynthOptions): Promise<App> => {
  const app = new App({
    outdir: outDir,
    analyticsReporting: false,
    treeMetadata: false,
    builtinCloudFormationValidation: validate,
    context: { ...withoutPaths, ...context },
  });
  const settings = readSettings(app.node);
  check?.(settings, app.node);
  const { folderOf } = await bundle(contexts, join(outDir, 'bundles'));
  // the pages go with the stack, also where the CDK's own command deploys it
  if (settings.site) await ensureConsole(root);
  buildStack(
    app,
    settings,
    contexts,
    (name) => Code.fromAsset(folderOf(name)),
    (site) => buildInFolder(root, site),
  );
  return app;
};

const root = join(import.meta.dirname, '../..');

/** Keeps paths of the machine out of the assembly. */
const withoutPaths = { 'aws:cdk:disable-stack-trace': true };
