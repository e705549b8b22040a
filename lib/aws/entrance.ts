import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  Function as EdgeFunction,
  FunctionCode,
  type FunctionAssociation,
  FunctionEventType,
  FunctionRuntime,
} from 'aws-cdk-lib/aws-cloudfront';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { idOf } from './naming.ts';

/**
 * The secret by which the stack's own distributions show themselves to the functions, so that these believe their word on who called. Made by the
 * stack: nothing is entered by hand, and the next deploy finds it again. It is a reference, which no template or output resolves.
 */
export const makeEntranceSecret = (stack: Stack): string =>
  new Secret(stack, 'SiteEntranceSecret', {
    description: 'By which the distributions of this stack show themselves to its functions',
    generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'secret', passwordLength: 64, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
  })
    .secretValueFromJson('secret')
    .unsafeUnwrap();

/** A function at the edge that sees each request of a viewer. */
export const viewerRequest = (stack: Stack, name: string, code: string): FunctionAssociation => ({
  function: new EdgeFunction(stack, idOf(name, 'edge'), { code: FunctionCode.fromInline(code), runtime: FunctionRuntime.JS_2_0 }),
  eventType: FunctionEventType.VIEWER_REQUEST,
});
