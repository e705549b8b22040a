import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/** Registers cdk-nag's AWS Solutions pack. */
export const checkWithNag = (app: App): void => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
};
